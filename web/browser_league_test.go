package web

import (
	"fmt"
	"testing"

	"github.com/stampede-sim/stampede/strategies"
)

// The league in a real browser. It has no script.
func TestBrowserLeague(t *testing.T) {
	b := startBrowser(t)
	s := newTestServer(nil)
	p := b.open(t, s, "/league", look{width: 390, height: 900, dark: true, script: true})
	p.await(fmt.Sprintf(`document.querySelectorAll(".league-table tbody tr").length === %d`, len(strategies.Libraries())))
	eval[bool](p, unfold)
	p.wantAccessible("league")
	p.wantWidth("league", 390)
	eval[bool](p, `(document.getElementById("in-p").value = "constant,base=2s,jitter=full", true)`)
	p.click(".own-line button")
	p.await(`document.readyState === "complete" && document.getElementById("row-yours") !== null && location.search === "?p=constant,base=2s,jitter=full"`)
	eval[bool](p, `(document.getElementById("in-document").value = "{\"initialInterval\": \"1s\"}", true)`)
	p.click(".own-document button")
	p.await(`document.getElementById("notes") !== null && document.getElementById("row-yours") !== null`)
	p.wantAccessible("with notes")
}
