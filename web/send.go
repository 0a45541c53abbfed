package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/stampede-sim/stampede/static"
)

// writeTimeout is how long a client may take to receive an answer, from the moment there is one.
const writeTimeout = time.Minute

// send writes a complete answer, compressed as the client likes it. An ETag set before names the plain form.
func send(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if coding := static.Coding(r); coding != "" && len(body) > 1024 {
		body = compress(coding, body)
		h.Set("Content-Encoding", coding)
		if tag := h.Get("ETag"); tag != "" {
			h.Set("ETag", codedTag(tag, coding))
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // a test's recorder has none
	w.WriteHeader(status)
	w.Write(body)
}

// sendJSON writes a value as a complete answer.
func (s *Server) sendJSON(w http.ResponseWriter, r *http.Request, v any) {
	doc, err := json.Marshal(v)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	send(w, r, http.StatusOK, "application/json", append(doc, '\n'))
}

// level is of both compressors. On pages and results higher ones take twice as long or more to save a few percent.
const level = 3

// compressors are pooled: one holds about a megabyte.
var compressors = map[string]*sync.Pool{
	"br": {New: func() any { return brotli.NewWriterLevel(nil, level) }},
	"gzip": {New: func() any {
		w, err := gzip.NewWriterLevel(nil, level)
		if err != nil {
			panic(err) // a level that there is not
		}
		return w
	}},
}

func compress(coding string, body []byte) []byte {
	var b bytes.Buffer
	w := compressors[coding].Get().(interface {
		io.WriteCloser
		Reset(io.Writer)
	})
	defer compressors[coding].Put(w)
	w.Reset(&b)
	w.Write(body) // a write to a buffer cannot fail
	w.Close()
	return b.Bytes()
}

// codedTag is the strong ETag of a coded form: other bytes, another tag.
func codedTag(tag, coding string) string {
	return strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
}

// notModified answers 304 if the client holds the answer that tag names, in whatever coding.
func notModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	for held := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		held = strings.TrimPrefix(strings.TrimSpace(held), "W/")
		if held == "*" || held == tag || held == codedTag(tag, "br") || held == codedTag(tag, "gzip") {
			if held != "*" {
				tag = held
			}
			w.Header().Set("ETag", tag)
			w.Header().Add("Vary", "Accept-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}
