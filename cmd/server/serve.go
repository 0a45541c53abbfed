package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/stampede-sim/stampede/web"
)

const defaultAddr = "127.0.0.1:8080"

// stopGrace is how long requests may go on once the server has been told to stop; lastWords is how long the answers
// to those cut short then may take.
var (
	stopGrace = 10 * time.Second
	lastWords = 2 * time.Second
)

// serve runs the server until ctx ends.
func serve(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	addr := flags.String("addr", defaultAddr, "`address` to listen on")
	maxEvents := flags.Int64("max-events", web.DefaultMaxEvents, "most `events` that a scenario may cost; 0: no limit")
	maxConcurrent := flags.Int("max-concurrent", 0, "most `simulations` at once; 0: as many as there are cores")
	base := baseURL("")
	flags.Var(&base, "base-url", "`origin` that links and pictures name, such as https://stampede.example.org; without one, that of each request")
	if err := parse(flags, args, 0, env, stdout); err != nil {
		return ignoreHelp(err)
	}

	listener, err := net.Listen("tcp", *addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("something else listens on %s; choose another address with -addr or STAMPEDE_ADDR", *addr)
	case err != nil:
		return fmt.Errorf("cannot listen on %s: %w", *addr, err)
	}

	log := slog.New(slog.NewTextHandler(stderr, nil))
	app := web.New(web.Config{
		MaxEvents: *maxEvents, MaxConcurrent: *maxConcurrent, BaseURL: string(base), Version: version(), Log: log,
	})
	go app.Warm(ctx)

	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	server := &http.Server{
		Handler:           app,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      time.Minute, // the app extends it for answers that take long to come by
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	url, err := urlOf(listener.Addr().String())
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Stampede %s listens on %s\n", version(), url)

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "grace", stopGrace)
	app.Drain()
	return stop(server, func() { cancel(web.ErrShutdown) })
}

// baseURL is a flag that holds a base URL.
type baseURL string

func (b *baseURL) String() string { return string(*b) }

func (b *baseURL) Set(text string) error {
	checked, err := web.CheckBaseURL(text)
	*b = baseURL(checked)
	return err
}

// stop lets requests end for a while, then cuts them short and gives their answers a moment.
func stop(server *http.Server, cutShort func()) error {
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := server.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	cutShort()
	last, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := server.Shutdown(last); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// healthcheck asks the server that the same flags or environment would start whether it is well.
func healthcheck(ctx context.Context, args []string, env func(string) string, stdout io.Writer) error {
	flags := flag.NewFlagSet("healthcheck", flag.ContinueOnError)
	addr := flags.String("addr", defaultAddr, "`address` the server listens on")
	if err := parse(flags, args, 0, env, stdout); err != nil {
		return ignoreHelp(err)
	}
	url, err := urlOf(*addr)
	if err != nil {
		return usageError{fmt.Errorf("-addr is %q: %w", *addr, err)}
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", req.URL, res.Status)
	}
	return nil
}

// urlOf is where a server that listens on addr is reached from this machine. It takes no name service.
func urlOf(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}
