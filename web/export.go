package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// The exports take the query of the compare page and give what it shows as files.

// exportScenario gives the scenario as it is run, every default written out.
func (s *Server) exportScenario(w http.ResponseWriter, r *http.Request) {
	sc, _, err := scenarioInQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	download(w, "scenario.json")
	s.sendJSON(w, r, sc)
}

// exportPolicy gives one policy of the scenario: the first, or the one at the index ?policy=.
func (s *Server) exportPolicy(w http.ResponseWriter, r *http.Request) {
	_, query, err := takeOptions(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	i, indexErr := takeInt(query, "policy", 0, 0, sim.MaxPolicies-1)
	sc, err := parsePageQuery(query)
	if err := allFaults(err, indexErr); err != nil {
		s.fail(w, r, err)
		return
	}
	if i >= len(sc.Policies) {
		s.fail(w, r, spec.Faults{{
			Pointer: "?policy",
			Detail:  fmt.Sprintf("policy must be from 0 to %d, not %d", len(sc.Policies)-1, i),
		}})
		return
	}
	download(w, sc.Policies[i].ID+".json")
	s.sendJSON(w, r, sc.Policies[i])
}

// exportResult gives the result as the API does.
func (s *Server) exportResult(w http.ResponseWriter, r *http.Request) {
	download(w, "result.json")
	s.getSimulation(w, r)
}

// exportTable gives the figures of all policies.
func (s *Server) exportTable(w http.ResponseWriter, r *http.Request) {
	s.exportAs(w, r, "table.csv", "text/csv; charset=utf-8; header=present", table)
}

// exportAs gives what write makes of the result as a file.
func (s *Server) exportAs(w http.ResponseWriter, r *http.Request, name, mediaType string, write func(*sim.Result) []byte) {
	sc, o, err := scenarioInQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if s.heldByClient(w, r, sc, o) {
		return
	}
	result, err := s.simulate(r.Context(), sc, o)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	download(w, name)
	send(w, r, http.StatusOK, mediaType, write(result))
}

// download makes the answer a file to keep. The name may come from a client: what is no letter, digit, dot or hyphen
// is left out.
func download(w http.ResponseWriter, name string) {
	name = strings.Map(func(c rune) rune {
		if c == '.' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return -1
	}, name)
	name = "stampede-" + name
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// table writes one row a policy, with mean, low and high of every metric, as RFC 4180 has it.
func table(r *sim.Result) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	head := []string{"policy", "definition"}
	for _, m := range r.Results[0].Metrics {
		head = append(head, m.Name, m.Name+" low", m.Name+" high")
	}
	w.Write(head) // a write to a buffer cannot fail
	for _, p := range r.Results {
		row := []string{cell(p.Policy.Name), cell(p.Policy.Text())}
		for _, named := range r.Results[0].Metrics {
			m := p.Metrics.Get(named.Name)
			row = append(row, number(m.Mean), number(m.Low), number(m.High))
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// cell makes sure that a spreadsheet takes text for text and not for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
