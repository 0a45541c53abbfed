package web

import (
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

func TestBrowserExports(t *testing.T) {
	b := startBrowser(t)
	s := quick()
	t.Run("a policy is exported from the compare page, and copied", func(t *testing.T) { exportIsReachedAndCopied(t, b, s) })
	t.Run("without a script", func(t *testing.T) { exportWithoutScript(t, b, s) })
	t.Run("the page is accessible and narrow", func(t *testing.T) { exportPageIsFit(t, b, s) })
}

func exportIsReachedAndCopied(t *testing.T, b chromium, s *Server) {
	p := b.open(t, s, "/", desktop)
	for _, permission := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted, Origin: p.url,
		})
		must(t, err)
	}
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
		if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d px wide on a narrow screen", path, wide)
		}
		p.wantAccessible(path)
	}
}
