package web

import (
	"sync"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// libraryGroups offer real implementations at their defaults, by language.
var libraryGroups = sync.OnceValue(func() []templates.Group {
	var groups []templates.Group
	for _, l := range strategies.Libraries() {
		if n := len(groups); n == 0 || groups[n-1].Title != l.Group {
			groups = append(groups, templates.Group{Title: l.Group})
		}
		last := &groups[len(groups)-1]
		says := l.Policy.Name + " (" + l.Version + "): " + details(l.Policy.Text())
		if l.Differs != "" {
			says += ". " + l.Differs
		}
		last.Actions = append(last.Actions, templates.Action{Do: "add:" + l.Policy.Text(), Label: l.Policy.Name, Title: says})
	}
	return groups
})
