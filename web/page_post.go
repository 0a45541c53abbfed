package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"unicode/utf8"

	"github.com/stampede-sim/stampede/strategies/spec"
)

// A document comes to the page by a form that is posted: pasted as "document", or as a "file". What else a form says is
// in the query, and so at hand even if the document is too long.

var errForm = errors.New("a form must be sent as multipart/form-data")

// postedIn reads a posted form; the file counts as the document.
func postedIn(r *http.Request) (url.Values, error) {
	asked, err := queryOf(r)
	if err != nil {
		return url.Values{}, err
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return asked, errForm
	}
	if err := r.ParseMultipartForm(maxBody); err != nil {
		if is[*http.MaxBytesError](err) {
			return asked, err
		}
		return asked, errBody
	}
	defer r.MultipartForm.RemoveAll()
	document := url.Values(r.MultipartForm.Value).Get("document")
	for _, header := range r.MultipartForm.File["file"] {
		file, err := header.Open()
		if err != nil {
			return asked, errBody
		}
		text, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			return asked, errBody
		}
		if len(text) > 0 {
			document = string(text)
		}
	}
	asked.Set("document", document)
	if !utf8.ValidString(document) {
		return asked, spec.Faults{{Pointer: "/document", Detail: "the document must be text in UTF-8"}}
	}
	return asked, nil
}
