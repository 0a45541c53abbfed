package web

import "testing"

// nodesPath is the opening scenario's server as five nodes, with the row of full jitter opened.
const nodesPath = "/?horizon=2m&bin=500ms&server.workers=4&server.queue=80&server.nodes.count=5&server.nodes.balancer=leastInFlight&server.nodes.comeUp=3s&open=exponential-full"

// The nodes' strips are accessible, fit on a narrow screen, and follow the controls.
func TestBrowserNodes(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, newTestServer(nil), nodesPath+"&replications=2&clients.count=500", look{width: 390, height: 900, dark: true, script: true})
	p.await(chartsDrawn)
	p.await(`document.querySelectorAll("#nodes-exponential-full .strip").length === 5`)
	p.wantAccessible("nodes")
	p.await(`document.documentElement.scrollWidth <= 390`)
	p.fill("server.nodes.count", "3")
	p.await(`document.querySelectorAll("#nodes-exponential-full .strip").length === 3`)
	p.fill("server.nodes.count", "1")
	p.await(`!document.getElementById("nodes-exponential-full") && !!document.getElementById("figures-exponential-full")`)
}
