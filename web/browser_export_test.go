package web

import "testing"

func TestBrowserExports(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	t.Run("a policy is exported from the compare page, and copied", func(t *testing.T) { exportIsReachedAndCopied(t, b, s) })
	t.Run("without a script", func(t *testing.T) { exportWithoutScript(t, b, s) })
	t.Run("the page is accessible and narrow", func(t *testing.T) { exportPageIsFit(t, b, s) })
}

func exportIsReachedAndCopied(t *testing.T, b chromium, s *Server) {
	p := b.open(t, s, "/", desktop)
	p.allowClipboard()
	p.await(standsStill)
	p.click(`[data-download="export"]`)
	p.await(`location.pathname === "/export"`)
	p.click(`.formats a[href*="format=step-functions"]`)
	p.await(`document.querySelector("h2")?.textContent === "AWS Step Functions Retry"`)
	p.click(`[data-copy="export-text"]`)
	p.await(`document.querySelector('[data-copy="export-text"]').textContent === "copied"`)
	if same := eval[bool](p, `navigator.clipboard.readText().then((text) => text.includes("IntervalSeconds") && text === document.getElementById("export-text").value)`); !same {
		t.Error("something else was copied")
	}
}

func exportWithoutScript(t *testing.T, b chromium, s *Server) {
	p := b.open(t, s, exportPath, look{width: 390, height: 800})
	p.click(`.formats a[href*="format=step-functions"]`)
	p.await(`document.querySelector("h2")?.textContent === "AWS Step Functions Retry"`)
	p.click(`main a[href^="/?p="]`)
	p.await(`location.pathname === "/" && document.querySelectorAll(".policy").length === 1`)
}

func exportPageIsFit(t *testing.T, b chromium, s *Server) {
	for _, path := range []string{exportPath, "/export", "/export?p=immediate&format=grpc", "/export?p=nosuch"} {
		p := b.open(t, s, path, look{width: 390, height: 800, script: true})
		p.wantWidth(path, 390)
		p.wantAccessible(path)
	}
}
