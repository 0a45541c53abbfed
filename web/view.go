package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file makes the results part of the compare page of a result.

const maxShown = 2 // policies in the charts

// results fills the results part.
func results(r *sim.Result, st state) *templates.Results {
	all := st.standings(r)
	charted := charted(all, st.shown)
	axes, columns := newStrips(r), columnsOf(r)
	if i := slices.IndexFunc(all, func(s standing) bool { return s.Policy.ID == st.baseline }); i >= 0 {
		columns.baseline = &all[i]
	}
	said := speak(r.Scenario, all)
	out := &templates.Results{
		Verdict:   said.sentences(),
		Why:       said.reasons(),
		Footing:   footing(r),
		Warnings:  warnings(r),
		Load:      axes.loadAxis(),
		Time:      axes.timeAxis(),
		Spans:     axes.spanHead(),
		Downloads: downloads(st.address, charted),
	}
	met := trialIn(r.Scenario)
	for _, s := range all {
		row := rowOf(columns, s, axes)
		row.PolicyHref = policyAddress(s.Policy, met)
		columns.unfold(&row, s, st.opened)
		row.Shown, row.ShowDo = toggle(charted, s)
		row.Place = s.position + 1
		row.Editing, row.EditDo = s.Policy.ID == st.editing, "edit:"
		if !row.Editing {
			row.EditDo += s.Policy.ID
		}
		if len(all) > 1 {
			row.RemoveDo = "remove:" + s.Policy.ID
			columns.compare(&row, s)
		}
		out.Rows = append(out.Rows, row)
	}
	out.Tabs = tabLinks(st)
	out.Charts = st.tabbed().charts(r, all, charted)
	return out
}

// charted picks the policies for the charts, in the scenario's order: those shown or, if there are none, the best and
// the first other of the scenario, for contrast.
func charted(all []standing, shown []string) []standing {
	var picked []standing
	for _, s := range all {
		if slices.Contains(shown, s.Policy.ID) {
			picked = append(picked, s)
		}
	}
	if len(picked) == 0 {
		best := all[0]
		picked = append(picked, best)
		others := slices.DeleteFunc(slices.Clone(all), func(s standing) bool { return s.position == best.position })
		if len(others) > 0 {
			picked = append(picked, slices.MinFunc(others, func(a, b standing) int { return a.position - b.position }))
		}
	}
	slices.SortFunc(picked, func(a, b standing) int { return a.position - b.position })
	return picked[:min(len(picked), maxShown)]
}

// toggle reports whether a policy is in the charts, and the button that changes it; none where it is the only one.
func toggle(charted []standing, s standing) (shown bool, do string) {
	var ids []string
	for _, c := range charted {
		if c.position == s.position {
			shown = true
			continue
		}
		ids = append(ids, url.QueryEscape(c.Policy.ID))
	}
	if !shown {
		ids = append(ids[max(0, len(ids)-maxShown+1):], url.QueryEscape(s.Policy.ID))
	}
	if len(ids) == 0 {
		return shown, ""
	}
	return shown, "show:" + strings.Join(ids, "&")
}

func footing(r *sim.Result) string {
	n, about := r.Scenario.Replications, ""
	if r.Scenario.Server.Kind == sim.OCC {
		about = "This is contention for one row, not overload: the server never slows down. "
	}
	if n == 1 {
		return about + "One run, so there are no intervals. Seed " + strconv.FormatUint(r.Scenario.Seed, 10) + "."
	}
	return about + fmt.Sprintf("Means of %d runs with 95 %% intervals; seed %d. “=” marks a tie: the difference lies within the intervals.", n, r.Scenario.Seed)
}

// warnings gathers what the results warn of; a warning that many give is said once.
func warnings(r *sim.Result) []templates.Warning {
	about := map[string][]string{}
	var order []string
	for i := range r.Results {
		p := &r.Results[i]
		for _, w := range p.Warnings {
			if about[w] == nil {
				order = append(order, w)
			}
			about[w] = append(about[w], quoted(standing{PolicyResult: p}))
		}
	}
	var out []templates.Warning
	for _, w := range order {
		who := ""
		if len(about[w]) < len(r.Results) {
			who = joined(about[w])
		}
		out = append(out, templates.Warning{About: who, Detail: w})
	}
	return out
}

func rowOf(c columns, s standing, axes strips) templates.Row {
	text := s.Policy.Text()
	return templates.Row{
		ID: s.Policy.ID, Name: nameOf(s), Details: details(text), Text: text,
		Mark: markOf(s.mark), Rank: s.Rank(), Tied: s.tied,
		Strip: axes.strip(s.PolicyResult), SpanRows: axes.spanRows(s.PolicyResult),
		Figures: c.figures(s),
	}
}

// downloads link to what is on the page as documents, and to the charted policies.
func downloads(address string, charted []standing) []templates.Download {
	query, _ := url.ParseQuery(address) // it was encoded
	deletePageKeys(query)
	link := func(kind, file, label, title string, more ...string) templates.Download {
		q := maps.Clone(query)
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		href := apiPrefix + "/export/" + file
		if len(q) > 0 {
			href += "?" + q.Encode()
		}
		return templates.Download{Kind: kind, Href: href, Label: label, Title: title}
	}
	all := []templates.Download{
		link("table", "table.csv", "Table (CSV)", "The figures of all policies with their intervals"),
		link("markdown", "table.md", "Table (Markdown)", "The rows as the page shows them, for an issue or a README"),
		link("scenario", "scenario.json", "Scenario (JSON)", "What was simulated, every default written out"),
		link("result", "result.json", "Result (JSON)", "Everything that the simulation gave"),
	}
	for _, s := range charted {
		all = append(all, link("policy", "policy.json", nameOf(s)+" (JSON)", "The policy on its own", "policy", strconv.Itoa(s.position)))
	}
	for _, s := range charted {
		all = append(all, templates.Download{
			Kind: "export", Href: exportAddress(s.Policy, "grpc"), Label: nameOf(s) + " for gRPC, Envoy, AWS …", Page: true,
			Title: "The policy as the configuration of a real system, and what of it is lost there",
		})
	}
	return all
}

// headline says in one sentence what is simulated.
func headline(sc *sim.Scenario) string {
	c, outages := sc.Clients, sc.Server.Outages
	clients := plural(float64(c.Count), "client", "clients")
	server, is := "a server", "is"
	if n := sc.Server.Nodes.Count; n > 1 {
		server, is = count(float64(n))+" nodes", "are"
	}
	switch {
	case sc.Server.Kind == sim.OCC:
		return clients + " write the same row"
	case c.Workload.Kind == sim.Burst && len(outages) == 1:
		return clients + " lose " + server + " for " + span(outages[0].End-outages[0].Start)
	case c.Workload.Kind == sim.Open:
		clients = brief(c.Workload.Rate) + " requests a second"
	case c.Workload.Kind == sim.Closed:
		clients += " that ask again and again"
	}
	switch len(outages) {
	case 0:
		if capacity, ok := sc.Throughput(); ok {
			return clients + " meet " + server + " that can serve " + brief(capacity) + " a second"
		}
		return clients + " meet " + server
	case 1:
		return clients + " meet " + server + " that " + is + " down for " + span(outages[0].End-outages[0].Start)
	default:
		return clients + " meet " + server + " that " + is + " down " + count(float64(len(outages))) + " times"
	}
}
