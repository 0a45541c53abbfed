package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Once through the page in Firefox, so that it is no one-browser page. Firefox is driven by its own Marionette protocol:
// JSON over TCP, each message after its length and a colon.

// firefox is a running Firefox.
type firefox struct {
	testing.TB
	conn   net.Conn
	reader *bufio.Reader
	id     int
}

// startFirefox starts Firefox, which ends with the test. Without one the test is skipped.
func startFirefox(t testing.TB) *firefox {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests take a while")
	}
	if _, err := exec.LookPath("firefox-esr"); err != nil {
		t.Skip("no firefox-esr in the path")
	}
	profile := t.TempDir()
	must(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("marionette.port", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
`), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	must(t, cmd.Start())
	f := &firefox{TB: t}
	t.Cleanup(func() {
		if f.conn != nil {
			f.send("Marionette:Quit", nil)
			f.conn.Close()
		}
		ended := time.AfterFunc(patience, cancel)
		cmd.Wait()
		ended.Stop()
		cancel()
	})
	f.connect(profile)
	f.call("WebDriver:NewSession", nil)
	return f
}

// connect waits until Firefox says where it listens.
func (f *firefox) connect(profile string) {
	f.Helper()
	for deadline := time.Now().Add(3 * patience); ; time.Sleep(50 * time.Millisecond) {
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err == nil && len(port) > 0 {
			if f.conn, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port))); err == nil {
				break
			}
		}
		if time.Now().After(deadline) {
			f.Fatalf("Firefox does not listen: %v", err)
		}
	}
	f.reader = bufio.NewReader(f.conn)
	f.receive() // its greeting
}

func (f *firefox) send(command string, params map[string]any) error {
	f.id++
	if params == nil {
		params = map[string]any{}
	}
	message, err := json.Marshal([]any{0, f.id, command, params})
	if err == nil {
		_, err = fmt.Fprintf(f.conn, "%d:%s", len(message), message)
	}
	return err
}

func (f *firefox) receive() []byte {
	f.Helper()
	must(f, f.conn.SetReadDeadline(time.Now().Add(3*patience)))
	length, err := f.reader.ReadString(':')
	must(f, err)
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	must(f, err)
	message := make([]byte, n)
	_, err = io.ReadFull(f.reader, message)
	must(f, err)
	return message
}

// call carries out a command and returns what it gives.
func (f *firefox) call(command string, params map[string]any) any {
	f.Helper()
	must(f, f.send(command, params))
	var answer [4]any // type, id, error, result
	must(f, json.Unmarshal(f.receive(), &answer))
	if answer[2] != nil {
		f.Fatalf("%s: %v", command, answer[2])
	}
	result, _ := answer[3].(map[string]any)
	return result["value"]
}

func (f *firefox) eval(expression string) any {
	f.Helper()
	return f.call("WebDriver:ExecuteScript", map[string]any{"script": "return " + expression, "args": []any{}})
}

// await waits until an expression is true.
func (f *firefox) await(expression string) {
	f.Helper()
	for deadline := time.Now().Add(3 * patience); f.eval("Boolean("+expression+")") != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("never came true: %s\nThe page says: %v", expression, f.eval("document.body.innerText.slice(0, 1000)"))
		}
	}
}

func TestFirefox(t *testing.T) {
	f := startFirefox(t)
	server := httptest.NewServer(quick())
	defer server.Close()
	f.call("WebDriver:Navigate", map[string]any{"url": server.URL})
	f.await(`document.querySelectorAll(".policy .strip .served").length === 8`)
	f.await(chartsDrawn)
	before := f.eval(`document.querySelector(".policies").innerText`)

	f.eval(`(() => {
		const slider = document.querySelector("[data-for='in-clients.count']");
		slider.value = slider.dataset.stops.split(" ").indexOf("2000");
		slider.dispatchEvent(new Event("input", {bubbles: true}));
		slider.dispatchEvent(new Event("change", {bubbles: true}));
	})()`)
	f.await(`location.search === "?clients.count=2000" && document.querySelector("h1").textContent.startsWith("2000")`)
	if f.eval(`document.querySelector(".policies").innerText`) == before {
		t.Error("twice the clients, the same rows")
	}
	f.eval(`document.getElementById("edit-exponential").click()`)
	f.await(`document.getElementById("editor") !== null`)
	f.eval(`(() => {
		const field = document.getElementsByName("edit.cap")[0];
		field.value = "3s";
		field.dispatchEvent(new Event("change", {bubbles: true}));
	})()`)
	f.await(`location.search.includes("cap=3s")`)
	f.eval(`document.getElementById("undo").click()`)
	f.await(`!location.search.includes("cap=3s") && document.getElementsByName("edit.cap")[0].value === "10s"`)
	f.eval(`document.getElementById("tab-delays").click()`)
	f.await(`location.search.includes("tab=delays")`)
	f.await(chartsDrawn)
	f.eval(`document.getElementById("keys").click()`)
	f.await(`document.getElementById("shortcuts").open`)
	if wide := f.eval(`document.documentElement.scrollWidth > document.documentElement.clientWidth`); wide == true {
		t.Error("the page is wider than the window")
	}
}
