package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const scenario = `{
	"horizon": "10s", "replications": 2,
	"clients": {"count": 10, "workload": {"kind": "burst"}},
	"network": {"latency": {"kind": "constant", "mean": "10ms"}},
	"server": {"outages": [{"start": "0s", "end": "1s"}]},
	"policies": [{"schedule": {"kind": "constant", "base": "100ms"}}]
}`

// command runs the program and returns its exit status and what it wrote, errors last.
func command(env map[string]string, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, log bytes.Buffer
	getenv := func(name string) string { return env[name] }
	err := run(context.Background(), args, getenv, strings.NewReader(stdin), &out, &log)
	if err != nil {
		log.WriteString(err.Error())
	}
	return status(err), out.String(), log.String()
}

func TestCommandLineMistakes(t *testing.T) {
	dir := t.TempDir()
	faulty := filepath.Join(dir, "faulty.json")
	if err := os.WriteFile(faulty, []byte(strings.Replace(scenario, `"100ms"`, `"-1s"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env    map[string]string
		args   []string
		code   int
		stderr string
	}{
		"no such command":  {nil, []string{"jump"}, 2, `there is no command "jump"`},
		"no such flag":     {nil, []string{"serve", "-jump"}, 2, "-jump"},
		"bad environment":  {map[string]string{"STAMPEDE_MAX_EVENTS": "many"}, []string{}, 2, `STAMPEDE_MAX_EVENTS is "many"`},
		"bad base URL":     {nil, []string{"-base-url", "example.org/x"}, 2, `"example.org/x" is no base URL; it must be http`},
		"bad base in env":  {map[string]string{"STAMPEDE_BASE_URL": "ftp://x"}, []string{}, 2, `STAMPEDE_BASE_URL is "ftp://x"`},
		"too many files":   {nil, []string{"run", "a.json", "b.json"}, 2, `["a.json" "b.json"]`},
		"no file":          {nil, []string{"run"}, 2, "1 argument"},
		"bad trace":        {nil, []string{"run", "-trace", "501", "a.json"}, 2, "from 0 to 500"},
		"no such file":     {nil, []string{"run", filepath.Join(dir, "none.json")}, 1, "none.json"},
		"not JSON":         {nil, []string{"run", "main.go"}, 1, "main.go: not JSON: line 1"},
		"faults":           {nil, []string{"run", faulty}, 1, "\n  /policies/0/schedule/base: "},
		"too costly":       {nil, []string{"run", "-max-events", "1", "-"}, 1, "at most 1"},
		"bad address":      {nil, []string{"-addr", "nowhere:x"}, 1, "nowhere:x"},
		"bad health check": {nil, []string{"healthcheck", "-addr", "8080"}, 2, "missing port"},
		"nobody home":      {nil, []string{"healthcheck", "-addr", "127.0.0.1:1"}, 1, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(c.env, scenario, c.args...)
			if code != c.code || !strings.Contains(stderr, c.stderr) || stdout != "" {
				t.Errorf("status %d, output %q, errors %q; want status %d, no output, errors with %q", code, stdout, stderr, c.code, c.stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"run", "-h"}, {"healthcheck", "-h"}} {
		if code, stdout, _ := command(nil, "", args...); code != 0 || len(stdout) < 40 {
			t.Errorf("%q: status %d, output %q; want status 0 and some help", args, code, stdout)
		}
	}
}

func TestVersionIsOneWord(t *testing.T) {
	code, stdout, _ := command(nil, "", "version")
	if code != 0 || len(strings.Fields(stdout)) != 1 {
		t.Errorf("status %d, output %q; want status 0 and one word", code, stdout)
	}
}

func TestRunPrintsTheResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scenario.json")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	code, fromFile, stderr := command(nil, "", "run", file)
	if code != 0 {
		t.Fatal(stderr)
	}
	if _, fromStdin, _ := command(nil, scenario, "run", "-"); fromStdin != fromFile {
		t.Error("standard input and file give different results")
	}
	var result struct {
		Results []struct {
			Metrics map[string]struct{ Values []float64 }
			Trace   struct{ Client []int }
		}
	}
	_, stdout, _ := command(nil, scenario, "run", "-values", "-trace", "1", "-")
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatal(err)
	}
	if n := len(result.Results[0].Metrics["attempts"].Values); n != 2 {
		t.Errorf("%d values of two replications", n)
	}
	// Refused at 0, 120 ms and so on: ten times, the last at 1.08 s, after the outage, would be the tenth.
	if n := len(result.Results[0].Trace.Client); n != 10 {
		t.Errorf("%d attempts in the trace, want 10", n)
	}
}

// TestRunDrawsWhatHasNoClosedForm: as the API, and unlike the page, which has no time for it.
func TestRunDrawsWhatHasNoClosedForm(t *testing.T) {
	decorrelated := strings.Replace(scenario, `"100ms"}}`, `"100ms"}, "jitter": {"kind": "decorrelated"}, "cap": "2s"}`, 1)
	_, stdout, stderr := command(nil, decorrelated, "run", "-")
	if drawn := strings.Count(stdout, `"p95Sampled":true`); drawn != 20 || strings.Contains(stdout, `"p95":null`) {
		t.Errorf("%d of 20 percentiles are drawn %s", drawn, stderr)
	}
}

// running starts "server serve" on a free port and returns its address and what it returns when it ends.
func running(t *testing.T, ctx context.Context, flags ...string) (addr string, ended <-chan error) {
	t.Helper()
	stdout, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append(flags, "-addr", "127.0.0.1:0"), func(string) string { return "" }, nil, w, io.Discard)
		w.Close()
	}()
	line := make([]byte, 1024)
	n, err := stdout.Read(line)
	if err != nil {
		t.Fatal(<-done)
	}
	go io.Copy(io.Discard, stdout)
	url := regexp.MustCompile(`http://(\S+)\n`).FindSubmatch(line[:n])
	if url == nil {
		t.Fatalf("the server says %q, want its address", line[:n])
	}
	return string(url[1]), done
}

func TestServeUntilToldToStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addr, ended := running(t, ctx, "-base-url", "https://stampede.example.org/")
	res, err := http.Get("http://" + addr + "/embed?replications=1")
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if want := `href="https://stampede.example.org/?replications=1"`; !strings.Contains(string(page), want) {
		t.Errorf("with a base URL the page lacks %s: %s", want, page)
	}
	if code, _, stderr := command(map[string]string{"STAMPEDE_ADDR": addr}, "", "healthcheck"); code != 0 {
		t.Error(stderr)
	}
	if code, _, stderr := command(nil, "", "-addr", addr); code != 1 || !strings.Contains(stderr, "something else listens on "+addr) {
		t.Errorf("a second server: status %d, %q; want status 1 and why", code, stderr)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("an idle server takes more than 10 s to stop")
	}
}

// TestStopCutsRunsShort checks that a run that goes on for too long is cancelled, and its client told.
func TestStopCutsRunsShort(t *testing.T) {
	defer func(d time.Duration) { stopGrace = d }(stopGrace)
	stopGrace = 50 * time.Millisecond
	begun := make(chan struct{})
	base, cancel := context.WithCancel(t.Context())
	server := &http.Server{
		BaseContext: func(net.Listener) context.Context { return base },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			io.WriteString(w, "cut short")
		}),
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		body, _ := io.ReadAll(res.Body)
		answer <- string(body)
	}()
	<-begun
	if err := stop(server, cancel); err != nil {
		t.Error(err)
	}
	if got := <-answer; got != "cut short" {
		t.Errorf("the client got %q, want what the handler said last", got)
	}
}
