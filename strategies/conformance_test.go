package strategies

import "testing"

// What was run is a preset, and was found equal in something.
func TestConformanceIsOfPresets(t *testing.T) {
	presets := 0
	for _, l := range Libraries() {
		if c, ok := l.Conformance(); ok {
			presets++
			if c.Module == "" || c.Version == "" || len(c.Checks) == 0 {
				t.Errorf("%s: %+v", l.Policy.ID, c)
			}
		}
	}
	if presets == 0 || presets != len(conformance) {
		t.Errorf("%d presets of %d in conformance.json", presets, len(conformance))
	}
}
