package conformance

import (
	"errors"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/server/common/retrypolicy"
)

// The server fills in what a policy does not say. How it waits is not run here, so the preset still counts as read.
func TestTemporalDefaults(t *testing.T) {
	p, preset := new(commonpb.RetryPolicy), preset(t, "temporal").Policy
	retrypolicy.EnsureDefaults(p, retrypolicy.DefaultDefaultRetrySettings)
	if err := errors.Join(
		same("the first interval", p.InitialInterval.AsDuration(), base(preset)),
		same("the coefficient", p.BackoffCoefficient, factor(preset)),
		same("the longest interval", p.MaximumInterval.AsDuration(), preset.Cap),
		same("attempts", int64(p.MaximumAttempts), preset.MaxAttempts),
	); err != nil {
		t.Error(err)
	}
}
