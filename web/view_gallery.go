package web

import (
	"strings"
	"sync"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// starts link to the preset scenarios. The opening one's address is the shortest there is.
var starts = sync.OnceValue(func() []templates.Link {
	var links []templates.Link
	for _, p := range sim.Presets() {
		links = append(links, templates.Link{Href: address(encode(p.Scenario.Query())), Label: p.Scenario.Name, Title: strings.ReplaceAll(p.Shows, " %", nbsp+"%")})
	}
	return append(links, templates.Link{Href: "/layers", Label: "Layers that each retry",
		Title: "Three layers of four attempts make 64 of one request. That takes no simulation: it is exact."})
})
