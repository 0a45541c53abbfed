package strategies_test

import (
	"os"
	"testing"

	"github.com/stampede-sim/stampede/strategies/strategiestest"
)

func TestMain(m *testing.M) {
	strategiestest.FixSeed()
	os.Exit(m.Run())
}
