package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies/spec"
	"github.com/stampede-sim/stampede/web"
)

// runScenario prints the result of a scenario, as the API would give it.
func runScenario(ctx context.Context, args []string, env func(string) string, stdin io.Reader, stdout io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	maxEvents := flags.Int64("max-events", 0, "most `events` that the scenario may cost; 0: no limit")
	values := flags.Bool("values", false, "give each metric's value of every replication")
	nodes := flags.Bool("nodes", false, "tell what each node saw in the first replication, where there are several")
	trace := flags.Int("trace", 0, "trace so many `clients` of the first replication")
	if err := parse(flags, args, 1, env, stdout); err != nil {
		return ignoreHelp(err)
	}
	if *trace < 0 || *trace > web.MaxTrace {
		return usageError{fmt.Errorf("-trace is %d; it must be from 0 to %d", *trace, web.MaxTrace)}
	}

	name := flags.Arg(0)
	doc, err := readFile(name, stdin)
	if err != nil {
		return err
	}
	sc, err := sim.ParseScenario(doc)
	if err != nil {
		return readable(name, err)
	}
	runner := sim.Runner{MaxEvents: *maxEvents, Values: *values, Trace: *trace, Nodes: *nodes, SampleP95: true}
	result, err := runner.Run(ctx, sc, nil)
	if err != nil {
		return readable(name, err)
	}
	out, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = stdout.Write(append(out, '\n'))
	return err
}

func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

// readable writes the faults of a document one a line.
func readable(name string, err error) error {
	faults, ok := errors.AsType[spec.Faults](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has faults:", name)
	for _, f := range faults {
		fmt.Fprintf(&b, "\n  %s: %s", f.Pointer, f.Detail)
	}
	return errors.New(b.String())
}
