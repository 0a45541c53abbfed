package templates

// Difference is how a figure differs from that of the baseline.
type Difference struct {
	Value, Unit string
	When        string // in which runs; empty: Value has an interval
	Level       bool   // the interval holds no difference
}

// Details are all figures of a policy.
type Details struct {
	Versus string // the name of the baseline; empty: none
	Groups []DetailGroup
	Nodes  *Nodes // nil: there is one
}

// Nodes are the nodes of a server, each with its strip, on axes of their own.
type Nodes struct {
	Load   LoadAxis
	Time   TimeAxis
	Left   string // where not all are listed, says so
	Spans  []string
	Strips []NodeStrip
}

// NodeStrip is one node's.
type NodeStrip struct {
	Name, Says string
	Strip      Strip
	Rows       []SpanRow
}

// DetailGroup is some figures that belong together.
type DetailGroup struct {
	Title string
	Rows  []Detail
}

// Detail is one figure: what it is in full, and its difference to the baseline's in words.
type Detail struct {
	Label, Help          string
	Value, Unit          string
	Interval, Difference string
}
