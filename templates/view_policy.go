package templates

// PolicyPage is the page of one policy.
type PolicyPage struct {
	Static      func(name string) string
	State       string // the query of what the page shows
	Title, Text string // the policy's name; all of it in one line
	Form        Form   // Plain: what it is put to; Editor: its fields
	Problems    []Problem
	Verdicts    []PolicyVerdict
	Warnings    []string
	Facts       []Fact
	Boxes       []Chart // whose numbers are in Retries
	Retries     Table
	Quantiles   Table // of the waits before them
	Curves      []Chart
	Compare     string // address of the compare page with this policy
	Export      string // address of the page that exports it
	Tune        string // address of the page that searches for policies for the same trial
}

// PolicyVerdict is one thing that can be said of a policy.
type PolicyVerdict struct {
	ID, Tone  string // "good", "bad" or neither
	Says, Why string
	Shows     Link // where to see it
}

// Fact is a number with what it is.
type Fact struct{ Label, Value string }

// sign is a tone in one character, beside its colour.
func (v PolicyVerdict) sign() string { return map[string]string{"good": "✓", "bad": "!"}[v.Tone] }

// spoken is a tone for those who do not see it.
func (v PolicyVerdict) spoken() string {
	return map[string]string{"good": "Good: ", "bad": "Beware: "}[v.Tone]
}
