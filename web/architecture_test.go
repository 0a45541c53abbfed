package web

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stampede-sim/stampede/"

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// goList lists the module's packages, by path without the module's.
func goList(t *testing.T) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"...")
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	packages := map[string]goPackage{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p goPackage
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module)] = p
	}
	return packages
}

// TestImportsRunOneWay checks strategies ← sim ← web → templates, static; cmd/server → web.
func TestImportsRunOneWay(t *testing.T) {
	allowed := map[string][]string{
		"strategies/spec":   {},
		"strategies":        {"strategies/spec"},
		"strategies/export": {"strategies", "strategies/spec"},
		"sim":               {"strategies", "strategies/spec"},
		"sim/published":     {"sim", "strategies", "strategies/spec"},
		"templates":         {},
		"static":            {},
		"web":               {"sim", "sim/published", "strategies", "strategies/spec", "strategies/export", "templates", "static"},
		"cmd/server":        {"web", "sim", "sim/published", "strategies", "strategies/spec", "strategies/export", "templates", "static"},
	}
	packages := goList(t)
	for name, p := range packages {
		if _, ok := allowed[name]; !ok && len(p.GoFiles) > 0 && !strings.HasSuffix(name, "test") {
			t.Errorf("package %s has no place among the others", name)
		}
	}
	for name, may := range allowed {
		p, ok := packages[name]
		if !ok {
			t.Errorf("there is no package %s", name)
		}
		for _, dep := range p.Deps {
			if ours, ok := strings.CutPrefix(dep, module); ok && !slices.Contains(may, ours) {
				t.Errorf("%s depends on %s", name, ours)
			}
		}
	}
}

// TestForeignImports checks which packages may import which modules. Those that help tests are free.
func TestForeignImports(t *testing.T) {
	homes := map[string][]string{ // module: the packages that may import it
		"github.com/go-chi/chi":            {"web"},
		"github.com/go-echarts/go-echarts": {"web"},
		"github.com/andybalholm/brotli":    {"web", "static"},
		"github.com/yuin/goldmark":         {"web"},
		"github.com/a-h/templ":             {"web", "templates"},
		"gonum.org/v1/gonum":               {"strategies", "strategies/spec", "sim", "sim/published"},
		"gonum.org/v1/plot":                {"web"},
		"golang.org/x/image":               {"web"},
		"codeberg.org/go-fonts/liberation": {"web"},
	}
	for name, p := range goList(t) {
		if strings.HasSuffix(name, "test") {
			continue
		}
		for _, imported := range p.Imports {
			if !strings.Contains(strings.Split(imported, "/")[0], ".") || strings.HasPrefix(imported, module) {
				continue // the standard library's, or ours
			}
			known := false
			for home, may := range homes {
				known = known || strings.HasPrefix(imported, home) && slices.Contains(may, name)
			}
			if !known {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}

// TestFewFilesDrawCharts checks that go-echarts appears in web's files charts*.go alone.
func TestFewFilesDrawCharts(t *testing.T) {
	p := goList(t)["web"]
	var files []string
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if strings.Contains(path, "go-echarts") && !strings.HasPrefix(name, "charts") {
				files = append(files, name)
				break
			}
		}
	}
	if len(files) > 0 {
		t.Errorf("go-echarts is imported by %v", files)
	}
}
