#!/bin/sh
# Rebuilds echarts.js, and fetches the accessibility checker that only the browser tests load.
# Versions are pinned here; the README beside this file and web/testdata/axe carry what was built.
set -eu
cd "$(dirname "$0")"
echarts=6.1.0
axe=4.14.1

here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$work" "echarts@$echarts" "axe-core@$axe"

modules=$work/node_modules
cp echarts.entry.js "$work/entry.js"
go tool esbuild "$work/entry.js" --bundle --minify --format=esm --target=es2022 --legal-comments=none \
	--banner:js="/* Apache ECharts $echarts, Apache License 2.0: see LICENSE-echarts */" --outfile="$here/echarts.js" --log-level=warning
cp "$modules/echarts/LICENSE" LICENSE-echarts
cp "$modules/echarts/NOTICE" NOTICE-echarts
cp "$modules/zrender/LICENSE" LICENSE-zrender
cp "$modules/tslib/LICENSE.txt" LICENSE-tslib

mkdir -p ../../web/testdata/axe
cp "$modules/axe-core/axe.min.js" "$modules/axe-core/LICENSE" ../../web/testdata/axe/

cat > README.md <<END
# Vendored code

Built by \`build.sh\`; nothing here is edited by hand.

| file | what | version | licence | sha256 |
|---|---|---|---|---|
| echarts.js | Apache ECharts, the parts listed in echarts.entry.js, with zrender and tslib | $echarts | Apache-2.0, BSD-3-Clause, 0BSD | $(sha256sum echarts.js | cut -d' ' -f1) |
| ../../web/testdata/axe/axe.min.js | axe-core, used by browser tests only | $axe | MPL-2.0 | $(sha256sum ../../web/testdata/axe/axe.min.js | cut -d' ' -f1) |
END
