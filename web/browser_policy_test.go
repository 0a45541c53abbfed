package web

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page of one policy in a real browser.

// policyPaths are policies of every kind of page.
var policyPaths = map[string]string{
	"plain":        "/policy",
	"limited":      "/policy?p=exponential,base=500ms,cap=10s,capAfterJitter=true,jitter=percentage,fraction=0.5,maxAttempts=7,deadline=20s&outage=12s",
	"decorrelated": "/policy?p=constant,base=100ms,cap=10s,jitter=decorrelated&clients=5000&outage=4m10s",
	"fault":        "/policy?p=exponential,base=1s,cap=x,maxAttempts=1&outage=-1s",
}

func TestShotsPolicy(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots")
	}
	must(t, os.MkdirAll(*shots, 0o755))
	b := startBrowser(t)
	s := newTestServer(nil)
	for name, path := range policyPaths {
		for _, width := range []int64{1280, 390} {
			for _, dark := range []bool{false, true} {
				t.Run(fmt.Sprintf("policy-%s-%d-%t", name, width, dark), func(t *testing.T) {
					p := b.open(t, s, path, look{width: width, height: 900, dark: dark, script: true})
					p.await(chartsDrawn)
					image, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
					must(t, err)
					must(t, os.WriteFile(filepath.Join(*shots, filepath.Base(t.Name())+".png"), image, 0o644))
				})
			}
		}
	}
}
