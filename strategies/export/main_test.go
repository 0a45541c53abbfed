package export

import (
	"flag"
	"os"
	"testing"

	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "25") // of each format; the command line may say otherwise
	strategiestest.FixSeed()
	os.Exit(m.Run())
}
