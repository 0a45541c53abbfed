package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// This file says which tabs of large charts there are. Only the charts of the tab that is shown are made.

// tabKind is some charts under one label.
type tabKind struct {
	id, label string
	charts    func(r *sim.Result, all, charted []standing) []templates.Chart
}

// tabList holds the tabs in their order; an address that names none shows the first.
var tabList = []tabKind{
	{"served", "Served over time", func(r *sim.Result, _, charted []standing) []templates.Chart {
		return []templates.Chart{progressChart(r, charted)}
	}},
	{tabClients, "Each client", func(*sim.Result, []standing, []standing) []templates.Chart { return nil }}, // see raster.go
	{tabWatch, "Watch", func(*sim.Result, []standing, []standing) []templates.Chart { return nil }},         // see stage.go
	{"load", "Load", func(r *sim.Result, _, charted []standing) []templates.Chart {
		return append([]templates.Chart{loadChart(r, charted)}, timelineCharts(r, charted)...)
	}},
	{"delays", "Delays", func(_ *sim.Result, _, charted []standing) (charts []templates.Chart) {
		retrying := slices.DeleteFunc(slices.Clone(charted), func(s standing) bool { return len(drawn(s)) == 0 })
		for _, s := range retrying {
			charts = append(charts, delayChart(s))
		}
		if len(retrying) > 0 { // a policy that never retries has no waits
			charts = append(charts, waitChart(retrying))
		}
		return charts
	}},
	{"work", "Work and time", func(r *sim.Result, all, _ []standing) []templates.Chart {
		return []templates.Chart{workChart(r, all)}
	}},
}

// tabOf is how a state names a tab: "" is the first. What is none leads there too, with what is wrong with it.
func tabOf(id string) (tab, problem string) {
	var ids []string
	for _, t := range tabList {
		ids = append(ids, t.id)
	}
	if id == "" || id == ids[0] {
		return "", ""
	}
	if !slices.Contains(ids, id) {
		return "", fmt.Sprintf("tab must be one of %s, not %.40q", strings.Join(ids, ", "), id)
	}
	return id, ""
}

// tabbed is the tab that a state shows.
func (s state) tabbed() tabKind {
	for _, t := range tabList {
		if t.id == s.tab {
			return t
		}
	}
	return tabList[0]
}

func tabLinks(st state) []templates.Tab {
	var links []templates.Tab
	for _, t := range tabList {
		to := st
		to.tab, _ = tabOf(t.id)
		links = append(links, templates.Tab{ID: t.id, Label: t.label, Href: address(encode(to.query())) + "#tabs", Shown: t.id == st.tabbed().id})
	}
	return links
}
