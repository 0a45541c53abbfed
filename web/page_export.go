package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/static"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/export"
	"github.com/stampede-sim/stampede/templates"
)

// The page that exports one policy. Its links are all there is to it: it needs no script but for copying.

// exporting answers GET /export.
func (s *Server) exporting(w http.ResponseWriter, r *http.Request) {
	query, err := queryOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page, status := templates.ExportPage{Static: static.URL}, http.StatusOK
	if len(query) > 0 {
		p, policyErr := takePolicy(query)
		format, formatErr := takeFormat(query)
		if policyErr == nil {
			part := s.exportPart(r, p, cmp.Or(format.ID, export.Formats[0].ID))
			page.Export = &part
		}
		if err := allFaults(policyErr, formatErr, unknownParams(query)); err != nil {
			problem := s.problem(r, err)
			page.Problems, status = problemsOf(problem.Errors), problem.Status
		}
	}
	s.sendPage(w, r, status, templates.Exporting(page))
}

// exportAddress is that of the page which exports a policy.
func exportAddress(p strategies.Policy, format string) string {
	return "/export?" + encode(url.Values{"p": {p.Text()}, "format": {format}})
}

// exportPart shows a policy in a format, with links to the others.
func (s *Server) exportPart(r *http.Request, p strategies.Policy, id string) templates.Export {
	format, _ := export.Find(id)
	part := templates.Export{
		Title: title(p), Policy: p.Text(), Alone: "/policy?" + encode(url.Values{"p": {p.Text()}}), Compare: address(encode(url.Values{"p": {p.Text()}})),
		Format: format.Name, Place: format.Place, Source: format.Source,
	}
	for _, f := range export.Formats {
		part.Formats = append(part.Formats, templates.Choice{
			Action: templates.Action{Do: exportAddress(p, f.ID), Label: f.Name}, On: f.ID == id,
		})
	}
	file, err := format.Export(p)
	if refusal, ok := err.(*export.Refusal); ok {
		part.Refused = refusal.Reason
		return part
	}
	part.Text, part.Lines, part.File = file.Text, strconv.Itoa(strings.Count(file.Text, "\n")+1), file.Name
	part.Download = apiPrefix + "/policies/export?" + encode(url.Values{"p": {p.Text()}, "format": {id}, "as": {"file"}})
	part.Curl = "curl -o " + file.Name + " '" + s.origin(r) + part.Download + "'"
	part.Notes = file.Notes
	for _, l := range file.Lossy {
		part.Lossy = append(part.Lossy, templates.Lost{Field: l.Field, Wanted: l.Wanted, Written: l.Written, Reason: l.Reason})
	}
	if file.WaitsDiffer() {
		part.Waits = waitsOf(p, file.Does)
	}
	return part
}

// maxWaits is how many retries are shown side by side.
const maxWaits = 10

// waitsOf sets a policy's waits beside those of another, for the retries that the other has.
func waitsOf(asked, does strategies.Policy) []templates.Waits {
	n := maxWaits
	if does.MaxAttempts > 0 {
		n = int(min(int64(n), does.MaxAttempts-1))
	}
	wanted, given := asked.Compile().Delays(n), does.Compile().Delays(n)
	longest := 0.0
	for i := range n {
		longest = max(longest, wanted[i].Exact.Max, given[i].Exact.Max)
	}
	rows := make([]templates.Waits, n)
	for i := range rows {
		rows[i] = templates.Waits{
			Retry: strconv.Itoa(i + 1), Asked: rangeOf(wanted[i].Exact, longest), Does: rangeOf(given[i].Exact, longest),
		}
	}
	return rows
}

// rangeOf is a delay on an axis that ends with the longest: a line from its least to its most, boxes for 90 % and for half
// of it, as on the policy's page.
func rangeOf(q strategies.Quantiles, longest float64) templates.Range {
	at := func(x float64) string { return strconv.FormatFloat(min(100*x/max(longest, 1e-9), 99), 'f', 2, 64) }
	bar := func(class string, from, to float64, top, height string) templates.Bar {
		return templates.Bar{Class: class, From: at(from), Width: at(max(to-from, longest/100)), Top: top, Height: height}
	}
	r := templates.Range{Text: seconds(q.Min), Mean: seconds(q.Mean), Centre: at(q.Mean), Bars: []templates.Bar{
		bar("all", q.Min, q.Max, "4", "2"), bar("most", q.P5, q.P95, "1", "8"), bar("half", q.P25, q.P75, "1", "8"),
	}}
	if q.Max > q.Min {
		r.Text += " to " + seconds(q.Max)
		if q.AtCap >= 0.0005 {
			r.AtCap = nearly(q.AtCap, 1) + nbsp + "% exactly " + seconds(q.Max)
		}
	}
	return r
}
