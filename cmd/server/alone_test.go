//go:build linux

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgramRunsAlone builds the program as the Dockerfile does and runs it where a container would: in a root
// directory that holds nothing else, as a user who owns nothing.
func TestProgramRunsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program anew")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can change the root directory")
	}
	root, err := os.MkdirTemp("", "stampede") // not t.TempDir, which other users cannot enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(root, "server"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alone := func(addr string, args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, "/server", args...)
		cmd.Dir = "/"
		cmd.Env = []string{"STAMPEDE_ADDR=" + addr}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		return cmd
	}

	server := alone("0.0.0.0:0")
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	found := regexp.MustCompile(`http://(\S+)\n`).FindStringSubmatch(line)
	if err != nil || found == nil {
		t.Fatalf("the server says %q (%v), want its address; its log:\n%s", line, err, log.String())
	}

	if out, err := alone(found[1], "healthcheck").CombinedOutput(); err != nil {
		t.Errorf("health check: %v\n%s", err, out)
	}
	for path, want := range map[string]string{"/": "<!doctype html", "/favicon.ico": "<svg", "/api/v1/catalog": `"schedules"`} {
		res, err := http.Get("http://" + found[1] + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, %v, %.200q; want 200 and %q", path, res.StatusCode, err, body, want)
		}
	}

	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v; its log:\n%s", err, log.String())
	}
}
