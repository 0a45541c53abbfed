package static

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

func get(t *testing.T, h http.Handler, url, acceptEncoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", url, nil)
	r.Header.Set("Accept-Encoding", acceptEncoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestFileIsServedInEveryCoding(t *testing.T) {
	script := strings.Repeat("let herd = 1000;\n", 100)
	h := http.StripPrefix(Prefix, http.HandlerFunc(build(fstest.MapFS{"app.js": {Data: []byte(script)}}).serve))
	hash := build(fstest.MapFS{"app.js": {Data: []byte(script)}}).hash
	decoders := map[string]func(io.Reader) (io.Reader, error){
		"":     func(r io.Reader) (io.Reader, error) { return r, nil },
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	}
	for coding, decode := range decoders {
		res := get(t, h, Prefix+hash+"/app.js", coding)
		want := map[string]string{
			"Content-Type":     "text/javascript; charset=utf-8",
			"Content-Encoding": coding,
			"Cache-Control":    "public, max-age=31536000, immutable",
			"Vary":             "Accept-Encoding",
		}
		for header, value := range want {
			if got := res.Header.Get(header); got != value {
				t.Errorf("coding %q: %s = %q, want %q", coding, header, got, value)
			}
		}
		r, err := decode(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r); err != nil || string(body) != script {
			t.Errorf("coding %q: %d bytes, %v; want the script's %d", coding, len(body), err, len(script))
		}
	}
}

func TestSmallFileIsNotCompressed(t *testing.T) {
	tr := build(fstest.MapFS{"a.css": {Data: []byte("a{}")}})
	res := get(t, http.StripPrefix(Prefix, http.HandlerFunc(tr.serve)), Prefix+tr.hash+"/a.css", "br, gzip")
	if c := res.Header.Get("Content-Encoding"); c != "" {
		t.Errorf("Content-Encoding = %q, want none", c)
	}
}

func TestHashIsOfNamesAndContents(t *testing.T) {
	hashes := map[string]bool{}
	for _, fsys := range []fstest.MapFS{
		{"a.js": {Data: []byte("1")}, "b.js": {Data: []byte("2")}},
		{"a.js": {Data: []byte("2")}, "b.js": {Data: []byte("1")}},
		{"a.js": {Data: []byte("1")}, "c.js": {Data: []byte("2")}},
		{"a.js": {Data: []byte("1")}},
	} {
		hashes[build(fsys).hash] = true
	}
	if len(hashes) != 4 {
		t.Errorf("4 trees have %d hashes", len(hashes))
	}
}

func TestOldAddressLeadsToThePresentFile(t *testing.T) {
	res := get(t, Handler(), Prefix+"0123456789ab/favicon.svg", "")
	if res.StatusCode != http.StatusFound || res.Header.Get("Location") != URL("favicon.svg") {
		t.Errorf("%d to %q, want 302 to %q", res.StatusCode, res.Header.Get("Location"), URL("favicon.svg"))
	}
	if c := res.Header.Get("Cache-Control"); c != "no-store" {
		t.Errorf("Cache-Control = %q, want no-store", c)
	}
}

func TestOnlyFilesOfThePageAreServed(t *testing.T) {
	for _, name := range []string{"static.go", "nosuch.js", "", "../static/static.go", "vendor", "vendor/"} {
		if res := get(t, Handler(), Prefix+load().hash+"/"+name, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%q: status %d, want 404", name, res.StatusCode)
		}
	}
	if res := get(t, Handler(), URL("favicon.svg"), ""); res.StatusCode != http.StatusOK {
		t.Errorf("favicon.svg: status %d, want 200", res.StatusCode)
	}
}

func TestURLOfNoFilePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("URL of a file that is not there does not panic")
		}
	}()
	URL("nosuch.js")
}

func TestCoding(t *testing.T) {
	for header, want := range map[string]string{
		"":                       "",
		"gzip, deflate, br":      "br",
		"gzip":                   "gzip",
		"GZIP":                   "gzip",
		"gzip;q=1.0, br;q=0.5":   "gzip",
		"br;q=0, gzip":           "gzip",
		"br;q=0, gzip;q=0":       "",
		"*":                      "br",
		"br;q=0, *;q=0.1":        "gzip",
		"identity":               "",
		"brotli, gzipped":        "",
		"gzip;q=2":               "",
		"gzip ; q=NaN":           "",
		";;;,,,=;q=":             "",
		"gzip;level=9;Q=0.3, x":  "gzip",
		"deflate, gzip;q=1.0, *": "br",
	} {
		r := httptest.NewRequest("GET", "/", bytes.NewReader(nil))
		r.Header.Set("Accept-Encoding", header)
		if got := Coding(r); got != want {
			t.Errorf("Accept-Encoding: %s: %q, want %q", header, got, want)
		}
	}
}
