package web

import (
	"net/http"

	"github.com/stampede-sim/stampede/strategies/export"
)

// imported is a policy that was read from a real system's configuration.
type imported struct {
	export.Imported
	Text     string   `json:"text"`     // the policy in one line
	Warnings []string `json:"warnings"` // of what is allowed but hardly meant, such as a deadline before the first retry
}

// postImport reads the policy in the body: in the format ?format=, or in the one that it looks like.
func (s *Server) postImport(w http.ResponseWriter, r *http.Request) {
	body, query, err := readRequest(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	format, err := takeOne(query, "format", append([]string{""}, export.Readable()...)...)
	if err := allFaults(err, unknownParams(query)); err != nil {
		s.fail(w, r, err)
		return
	}
	read, err := export.Import(format, body)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.sendJSON(w, r, imported{read, read.Policy.Text(), read.Policy.Warnings()})
}
