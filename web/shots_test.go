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

// shot is a page, and what to wait for before its picture is taken.
type shot struct {
	path   string
	ready  string
	whatIf bool // of that section alone
}

// shotsOf are all pages, by name.
func shotsOf() map[string]shot {
	all := map[string]shot{
		"export":        {path: exportPath, ready: "true"},
		"export-capped": {path: "/export?format=resilience4j&p=exponential,base=1s,cap=10s,jitter=equal,maxAttempts=9", ready: "true"},
		"tune":          {path: "/tune", ready: `document.getElementById("main").dataset.complete === "true"`},
		"league":        {path: ownInLeague, ready: "true"},
		"tune-none":     {path: "/tune?mostAttempts=3&longestWait=19s", ready: `document.getElementById("main").dataset.complete === "true"`},
		"layers":        {path: "/layers", ready: chartsDrawn},
		"published":     {path: "/published", ready: "true"},
		"whatif-one":    {path: "/?runs=3", ready: swept, whatIf: true},
		"whatif-two":    {path: "/?runs=2&sweep=clients.count,from=500,to=3000,steps=6&sweep=policies.maxAttempts,from=1,to=8,steps=4", ready: swept, whatIf: true},
		"whatif-fault":  {path: "/?sweep=policies.cap,from=5s,to=2s", ready: `document.querySelector("#what-if .error, #what-if .problems p")`, whatIf: true},
	}
	for name, path := range map[string]string{"opening": "/", "steady": steadyPath, "fault": faultPath, "compared": comparedPath, "editor": editorPath,
		"broken": brokenPath, "nodes": nodesPath, "guards": guardsPath, "guards-load": guardsPath + "&tab=load&show=breaker&show=all"} {
		all[name] = shot{path: path, ready: chartsDrawn}
	}
	for name, path := range learnPaths() {
		all["learn-"+name] = shot{path: path, ready: `[...document.querySelectorAll("figure.stage")].every((e) => e.querySelector("canvas") || (e.scrollIntoView(), false))`}
	}
	for name, at := range map[string]string{"herd": "0.03", "crash": "13.005", "served": "16"} {
		all["stage-"+name] = shot{path: embedStagePath + "?show=exponential&show=exponential-full&client=8&at=" + at, ready: stagesReady}
	}
	for name, path := range policyPaths {
		all["policy-"+name] = shot{path: path, ready: chartsDrawn}
	}
	for _, t := range tabList[1:] {
		if t.id == tabWatch {
			continue // by the stages alone
		}
		all["tab-"+t.id] = shot{path: "/?tab=" + t.id, ready: chartsDrawn}
	}
	return all
}

// TestShots writes screenshots of the pages, wide and narrow, light and dark: go test ./web -run TestShots -shots=DIR.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots")
	}
	must(t, os.MkdirAll(*shots, 0o755))
	b := startBrowser(t)
	s := newTestServer(nil)
	for name, shot := range shotsOf() {
		for _, width := range []int64{1280, 390} {
			for _, dark := range []bool{false, true} {
				shade := map[bool]string{true: "dark", false: "light"}[dark]
				t.Run(fmt.Sprintf("%s-%d-%s", name, width, shade), func(t *testing.T) {
					p := b.open(t, s, shot.path, look{width: width, height: 900, dark: dark, script: true})
					take := chromedp.FullScreenshot(100)
					if shot.whatIf {
						lookAtWhatIf(p)
						take = chromedp.Screenshot("#what-if")
					}
					p.await(shot.ready)
					image, err := chromedp.Run(p.ctx, take)
					must(t, err)
					must(t, os.WriteFile(filepath.Join(*shots, filepath.Base(t.Name())+".png"), image, 0o644))
				})
			}
		}
	}
}
