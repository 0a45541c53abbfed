# Everything that is checked, measured or made. `make test` is all that a change must pass.

GO ?= go
UPDATE ?=

.PHONY: published test generated vet unit race conformance chromium firefox bench shots properties fuzz vendor build generate

test: generated vet chromium unit race

# Generated code is what its sources say, formatted, and go.mod is tidy.
generated:
	$(GO) tool templ generate -check
	$(GO) tool templ fmt -fail ./templates
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) mod verify

vet:
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# All tests, those in a real browser and of the binary alone in an empty root among them. The browser's come last and by
# themselves: it has to wait for nothing but the pages.
unit:
	$(GO) test -timeout 20m $$($(GO) list ./... | grep -v '/web$$')
	$(GO) test -timeout 20m ./web

# What starts goroutines once more under the race detector, with fewer random scenarios; the browser has been through once
# already.
race:
	$(GO) test -race -short -timeout 20m . ./cmd/... ./sim ./static ./web

# Real libraries beside their presets and guards, real parsers on what is exported. The first time it downloads them.
# UPDATE=-update writes strategies/conformance.json anew.
conformance: conformance/node/node_modules
	@cd conformance && $(GO) list -deps -test . >/dev/null || \
		{ echo "make conformance: a Go module could not be fetched (see above); without a network it runs from a filled module cache alone"; exit 1; }
	cd conformance && $(GO) test -count 1 -vet all -timeout 20m $(UPDATE)

conformance/node/node_modules: conformance/node/package-lock.json
	@if command -v npm >/dev/null; then cd conformance/node && npm ci --loglevel=error --ignore-scripts --no-audit --no-fund && touch node_modules || \
		{ echo "make conformance: the npm packages could not be fetched (see above)"; exit 1; }; \
	else echo "make conformance: there is no Node.js here; what runs in it is not checked, and will be reported as failed"; fi

# The browser tests drive Chromium.
chromium:
	@command -v chromium >/dev/null || { apt-get update && apt-get install -y --no-install-recommends chromium; }

# Once through the page in Firefox, which make test does as well where there is one.
firefox:
	@command -v firefox-esr >/dev/null || { apt-get update && apt-get install -y --no-install-recommends firefox-esr; }
	$(GO) test ./web -run TestFirefox -count 1

generate:
	$(GO) tool templ generate
	$(GO) tool templ fmt ./templates

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/server ./cmd/server

# The engine against its floor and against a first writing of the same model, on one core and on two.
bench:
	GOMAXPROCS=1 $(GO) test ./sim -run '^$$' -bench 'Herd|Floor|ContainerHeap|Policies'
	GOMAXPROCS=2 $(GO) test ./sim -run '^$$' -bench Policies
	$(GO) test ./strategies ./web -run '^$$' -bench .

# Every published result in full, and the file of figures that the page /published shows.
published:
	$(GO) test ./sim/published -run TestPublished -count 1 -timeout 60m -full -as "$$(git describe --always)"

# Screenshots of every page, wide and narrow, light and dark.
shots: chromium
	$(GO) test ./web -run TestShots -count 1 -shots $(CURDIR)/shots

# The properties on new random scenarios and policies, ten times as many as in make test.
properties:
	$(GO) test ./sim ./strategies -count 1 -timeout 60m -rapid.seed=0 -rapid.checks=10000

# Each decoder against hostile input, for a minute.
fuzz:
	@for package in ./strategies ./strategies/export ./strategies/spec ./sim ./web; do \
		for target in $$($(GO) test $$package -list '^Fuzz' | grep '^Fuzz'); do \
			$(GO) test $$package -run '^$$' -fuzz "^$$target$$" -fuzztime 60s -fuzzminimizetime 10x || exit 1; \
		done; \
	done

# The vendored part of ECharts, built again.
vendor:
	sh static/vendor/build.sh
