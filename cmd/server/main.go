// Command server serves Stampede's page and API, and runs a scenario without them. See "server help".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `Stampede simulates clients that meet a recovering server, under every backoff and jitter strategy.

	server [serve] [flags]               serve the page and the API
	server run [flags] scenario.json     print a scenario's result as JSON; - reads standard input
	server healthcheck [flags]           ask a server on this machine whether it is well
	server version                       print the version

"server <command> -h" lists a command's flags. Each has an equivalent in the environment: -max-events is
STAMPEDE_MAX_EVENTS.
`

// usageError is a command line, or an environment, that makes no sense. It ends the program with status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status(err))
}

func status(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(usageError)):
		return 2
	default:
		return 1
	}
}

// run is the program: args without its name, env as os.Getenv.
func run(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) error {
	command := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		return serve(ctx, args, env, stdout, stderr)
	case "run":
		return runScenario(ctx, args, env, stdin, stdout)
	case "healthcheck":
		return healthcheck(ctx, args, env, stdout)
	case "version":
		fmt.Fprintln(stdout, version())
		return nil
	case "help":
		fmt.Fprint(stdout, usage)
		return nil
	default:
		return usageError{fmt.Errorf("there is no command %q\n\n%s", command, usage)}
	}
}

// parse reads a command's flags, from args, else from the environment, and checks that there are just so many
// arguments after them.
func parse(flags *flag.FlagSet, args []string, arguments int, env func(string) string, stdout io.Writer) error {
	flags.SetOutput(io.Discard) // errors are reported once, by main
	var wrong []error
	flags.VisitAll(func(f *flag.Flag) {
		name := "STAMPEDE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := env(name); value != "" {
			if err := flags.Set(f.Name, value); err != nil {
				wrong = append(wrong, fmt.Errorf("%s is %q: %w", name, value, err))
			}
		}
	})
	if err := errors.Join(wrong...); err != nil {
		return usageError{err}
	}
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.Usage()
		return err
	}
	if err != nil {
		return usageError{fmt.Errorf("%w; see server %s -h", err, flags.Name())}
	}
	if flags.NArg() != arguments {
		return usageError{fmt.Errorf("%s takes %d arguments after its flags, not %q", flags.Name(), arguments, flags.Args())}
	}
	return nil
}

// ignoreHelp makes a success of having asked for help.
func ignoreHelp(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return err
}
