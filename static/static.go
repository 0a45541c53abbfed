// Package static serves the page's style sheets, scripts and pictures. All of them live under one hash of everything,
// /static/<hash>/…, so that they may be kept for ever and relative imports between modules keep working.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

//go:embed *
var embedded embed.FS

// Prefix is where the files are served.
const Prefix = "/static/"

// types are the files that are served, by extension; everything else embedded is not.
var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// file is one file in every coding it is sent in; "" is the plain one.
type file struct {
	contentType string
	bodies      map[string][]byte
}

// tree holds the files by name and the hash of all of them.
type tree struct {
	hash  string
	files map[string]*file
}

var load = sync.OnceValue(func() tree { return build(embedded) })

// URL returns the address of a file, such as "app.js". It panics if there is none, which is a mistake in a template.
func URL(name string) string {
	t := load()
	if t.files[name] == nil {
		panic("static: there is no file " + strconv.Quote(name))
	}
	return Prefix + t.hash + "/" + name
}

// Handler serves the files. An address under another hash, from a page of an older version, leads to the present file.
func Handler() http.Handler {
	return http.StripPrefix(Prefix, http.HandlerFunc(load().serve))
}

func build(fsys fs.FS) tree {
	t := tree{files: map[string]*file{}}
	sum := sha256.New()
	var compressing sync.WaitGroup
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		contentType, served := types[path.Ext(name)]
		if err != nil || d.IsDir() || !served {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		sum.Write([]byte(name + "\x00" + strconv.Itoa(len(body)) + "\x00"))
		sum.Write(body)
		f := &file{contentType: contentType, bodies: map[string][]byte{"": body}}
		t.files[name] = f
		compressing.Go(f.compress)
		return nil
	})
	if err != nil {
		panic("static: " + err.Error()) // the files are part of the program
	}
	compressing.Wait()
	t.hash = hex.EncodeToString(sum.Sum(nil)[:6])
	return t
}

// compress adds the codings that are smaller than the plain file.
func (f *file) compress() {
	plain := f.bodies[""]
	for coding, writer := range map[string]func(io.Writer) io.WriteCloser{
		"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 9) },
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	} {
		var b bytes.Buffer
		w := writer(&b)
		w.Write(plain) // neither write to a buffer can fail
		w.Close()
		if b.Len() < len(plain) {
			f.bodies[coding] = b.Bytes()
		}
	}
}

func (t tree) serve(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(r.URL.Path, "/")
	f := t.files[name]
	switch {
	case f == nil:
		http.NotFound(w, r)
	case hash != t.hash:
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, Prefix+t.hash+"/"+name, http.StatusFound)
	default:
		f.serve(w, r)
	}
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	coding := Coding(r)
	body, ok := f.bodies[coding]
	if !ok {
		coding, body = "", f.bodies[""]
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Add("Vary", "Accept-Encoding")
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	w.Write(body)
}
