package web

import "testing"

// Addresses that tests open.
const (
	steadyPath = "/?clients.workload.kind=open&clients.workload.rate=160"
	faultPath  = "/?clients.count=0&server.queue=many"
)

// chartsDrawn is true once every chart on the page has been drawn.
const chartsDrawn = `(() => { const all = [...document.querySelectorAll("[data-chart]")]; return all.every((e) => e.querySelector("svg path")); })()`

func TestBrowser(t *testing.T) {
}
