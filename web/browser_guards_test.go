package web

import "testing"

// guardsPath is a page with every kind of guard, and the editor of a policy that has all.
const guardsPath = "/?clients.clientsPerProcess=100&p=exponential,base=100ms,cap=10s,jitter=full" +
	"&p=exponential,base=100ms,cap=10s,jitter=full,breaker.failures=5,breaker.openJitter=0.2,breaker.onOpen=wait,id=breaker,name=With a breaker" +
	"&p=exponential,base=100ms,cap=10s,jitter=full,breaker.kind=ratio,breaker.window=20,breaker.ratio=0.5,budget.kind=grpc,budget.maxTokens=10,budget.tokenRatio=0.1,throttle.k=2,id=all,name=All guards" +
	"&edit=all&open=breaker"

// A guard is added, changed and removed in the editor, and the row's figures say what it stops.
func TestBrowserGuards(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, quick(), "/?edit=exponential-full&open=exponential-full", desktop)
	p.await(chartsDrawn)
	row := `document.querySelector("#policy-exponential-full small").textContent`
	p.click(`[id="do-guard:breaker"]`)
	p.await(row + `.includes("breaker.failures=5")`)
	p.fill("edit.breaker.failures", "1")
	p.await(row + `.includes("breaker.failures=1")`)
	p.await(`[...document.querySelectorAll("#figures-exponential-full tr")].some((r) =>
		r.querySelector("th").textContent.startsWith("stopped by the circuit breaker") && r.querySelector("td").textContent.trim() !== "0")`)
	p.await(`new URLSearchParams(location.search).getAll("p").some((p) => p.includes("breaker.failures=1"))`)
	p.click(`[id="do-unguard:breaker"]`)
	p.await(`!` + row + `.includes("breaker")`)
	p.await(`document.getElementsByName("edit.breaker.failures").length === 0`)
}

// Every guard's controls are accessible, and fit on a narrow screen.
func TestGuardsAreAccessible(t *testing.T) {
	b := startBrowser(t)
	p := b.open(t, newTestServer(nil), guardsPath, look{width: 390, height: 900, script: true})
	p.await(chartsDrawn)
	p.wantAccessible("guards")
	p.wantWidth("guards", 390)
}
