package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// One policy as the configuration of a real system: in the API here, on the page in page_export.go.

// getExport writes the policy ?p= in the format ?format=.
func (s *Server) getExport(w http.ResponseWriter, r *http.Request) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p, err := takePolicy(query)
	s.export(w, r, query, p, err)
}

// postExport writes the policy in the body.
func (s *Server) postExport(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p, err := strategies.ParsePolicy(body)
	s.export(w, r, query, p, err)
}

// export answers with the file and what is lost, or with ?as=file with the file alone.
func (s *Server) export(w http.ResponseWriter, r *http.Request, query url.Values, p strategies.Policy, err error) {
	format, formatErr := takeFormat(query)
	alone, asErr := takeOne(query, "as", "json", "file")
	if err := allFaults(err, formatErr, asErr, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	file, err := format.Export(p)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	if alone == "file" {
		download(w, file.Name)
		send(w, r, http.StatusOK, file.MediaType, []byte(file.Text))
		return
	}
	s.sendJSON(w, r, file)
}

// takePolicy takes the one policy that is given as text.
func takePolicy(query url.Values) (strategies.Policy, error) {
	texts := query["p"]
	query.Del("p")
	if len(texts) != 1 {
		return strategies.Policy{}, spec.Faults{{Pointer: "?p", Detail: fmt.Sprintf("p must be one policy's text, such as exponential,base=100ms; there are %d", len(texts))}}
	}
	p, err := strategies.ParseText(texts[0])
	if err != nil {
		return p, inText(faultsOf(err))
	}
	return p, nil
}

// inText puts a policy's faults at the parameter that has its text: there is no document that they could lead into.
func inText(faults spec.Faults) spec.Faults {
	for i, f := range faults {
		if part, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "/policies/0"), "/"), "/"); ok {
			faults[i].Detail = part + ": " + f.Detail
		}
		faults[i].Pointer = "?p"
	}
	return faults
}

// takeFormat takes the format to write.
func takeFormat(query url.Values) (export.Format, error) {
	id, err := takeOne(query, "format", export.IDs()...)
	format, _ := export.Find(id)
	return format, err
}

// takeOne takes one of the accepted values; the first one if there is none.
func takeOne(query url.Values, name string, accepted ...string) (string, error) {
	if !query.Has(name) {
		return accepted[0], nil
	}
	value := query.Get(name)
	query.Del(name)
	if !slices.Contains(accepted, value) {
		return "", spec.Faults{{Pointer: "?" + name, Detail: fmt.Sprintf("%s must be one of %s, not %.40q", name, strings.Join(accepted, ", "), value)}}
	}
	return value, nil
}
