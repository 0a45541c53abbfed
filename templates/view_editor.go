package templates

// Editor changes one policy. Its controls belong to the form that the others are in.
type Editor struct {
	ID       string // of the policy
	Title    string
	Problems []Problem // faults that no field shows
	Fields   []Field
	Guards   []Group
	Text     Field // the policy as one line
	TextOpen bool  // shown unfolded
	Actions  []Action
}
