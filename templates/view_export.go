package templates

// ExportPage is the page that hands out one policy as the configuration of a real system.
type ExportPage struct {
	Static   func(name string) string // address of a static file
	Problems []Problem
	Export   *Export // nil if there is no policy
}

// Export is one policy in one format, with the others to choose from.
type Export struct {
	Title, Policy string   // the policy's name, and its text
	Alone         string   // address of the page about it
	Compare       string   // address of the compare page with it
	Formats       []Choice // Action.Do is the address
	Format, Place string
	Source        string // what the format's rules were read from
	Refused       string // why there is nothing to write; empty if there is
	Text          string
	Lines         string // how many Text has
	File          string // name of the file
	Download      string // its address
	Curl          string // fetches it
	Lossy         []Lost
	Notes         []string
	Waits         []Waits // what is waited before each retry, where that differs; none: it does not
}

// Lost is a field that the target treats otherwise.
type Lost struct{ Field, Wanted, Written, Reason string }

// Waits are those before one retry, asked for and as the target does it.
type Waits struct {
	Retry       string
	Asked, Does Range
}

// Range is a delay in words, and its distribution as bars on a common axis from 0 to 100.
type Range struct {
	Text, Mean string
	AtCap      string // how much of it is exactly the longest; "" if it spreads
	Bars       []Bar
	Centre     string // the mean
}

// Bar is a part of a distribution, such as its middle half.
type Bar struct{ Class, From, Width, Top, Height string }
