package web

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "write screenshots of every page into this directory")

// TestShots writes screenshots of the pages, wide and narrow, light and dark: go test ./web -run TestShots -shots=DIR.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots")
	}
	must(t, os.MkdirAll(*shots, 0o755))
	b := startBrowser(t)
	s := newTestServer(nil)
	pages := map[string]string{"opening": "/", "steady": steadyPath, "fault": faultPath, "compared": comparedPath, "editor": editorPath, "broken": brokenPath, "export": exportPath, "guards": guardsPath, "guards-load": guardsPath + "&tab=load&show=breaker&show=all"}
	for _, t := range tabList[1:] {
		pages["tab-"+t.id] = "/?tab=" + t.id
	}
	for name, path := range pages {
		for _, width := range []int64{1280, 390} {
			for _, dark := range []bool{false, true} {
				shade := map[bool]string{true: "dark", false: "light"}[dark]
				t.Run(fmt.Sprintf("%s-%d-%s", name, width, shade), func(t *testing.T) {
					p := b.open(t, s, path, look{width: width, height: 900, dark: dark, script: true})
					if path != exportPath { // which has none
						p.await(chartsDrawn)
					}
					image, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
					must(t, err)
					must(t, os.WriteFile(filepath.Join(*shots, filepath.Base(t.Name())+".png"), image, 0o644))
				})
			}
		}
	}
}
