package web

import (
	"bytes"
	"encoding/csv"
	"net/http"

	"github.com/stampede-sim/stampede/sim"
)

// The sweep that an address of the page shows, as files.

// exportSweep gives the sweep as the API does.
func (s *Server) exportSweep(w http.ResponseWriter, r *http.Request) {
	result, leave, err := s.sweepInQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	download(w, "sweep.json")
	s.sendJSON(w, r, result)
}

// exportSweepTable gives one row for each policy at each point.
func (s *Server) exportSweepTable(w http.ResponseWriter, r *http.Request) {
	result, leave, err := s.sweepInQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	download(w, "sweep.csv")
	send(w, r, http.StatusOK, "text/csv; charset=utf-8; header=present", sweepTable(result))
}

// sweepInQuery runs the sweep of an address.
func (s *Server) sweepInQuery(r *http.Request) (result *sim.SweepResult, leave func(), err error) {
	query, err := queryOf(r)
	if err != nil {
		return nil, nil, err
	}
	st, err := parseState(query)
	if err != nil {
		return nil, nil, err
	}
	return s.sweepToSend(r.Context(), st.sweep(), sweepWatch{})
}

// sweepTable is written as RFC 4180 has it, like table.
func sweepTable(r *sim.SweepResult) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	var head []string
	for _, a := range r.Axes {
		head = append(head, a.Parameter)
	}
	head = append(head, "policy", "definition")
	for _, name := range r.Sweep.Metrics {
		head = append(head, name, name+" low", name+" high")
	}
	w.Write(head) // a write to a buffer cannot fail
	for _, point := range r.Points {
		for i, f := range point.Results {
			var row []string
			for _, at := range point.At {
				row = append(row, string(at))
			}
			p := r.Sweep.Scenario.Policies[i]
			row = append(row, cell(title(p)), cell(p.Text()))
			for _, name := range r.Sweep.Metrics {
				m := f.Metrics.Get(name)
				row = append(row, number(m.Mean), number(m.Low), number(m.High))
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.Bytes()
}
