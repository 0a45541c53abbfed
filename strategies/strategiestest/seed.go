package strategiestest

import "flag"

// FixSeed lets properties hold for the same random policies each time, so that a change and not chance decides whether
// tests pass; for TestMain. -rapid.seed=0 on the command line takes new ones.
func FixSeed() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if !given {
		flag.Set("rapid.seed", "1")
	}
}
