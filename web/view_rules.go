package web

// The rules of the verdict, in order of precedence within their slots. A new one is an entry here, with a case on each
// side of its edge in view_rules_test.go.

var rules = []rule{
	{
		id: "giving-up-helps", slot: contrast,
		applies: func(f *findings) bool { return f.endless() != nil },
		sentence: func(f *findings) string {
			s := *f.endless()
			return "Here it is giving up that helps: whoever retries without end gets fewer served, " + f.share(s) + " at the most, with " + quoted(s) + "."
		},
		why: func(f *findings) string { return f.overloads(f.endless()) },
	},
	{
		id: "guard-helps", slot: contrast,
		applies: func(f *findings) bool { with, _ := f.guardHelps(); return with != nil },
		sentence: func(f *findings) string {
			with, without := f.guardHelps()
			return f.guardSaid(*with, *without, "helps", "help")
		},
		why: func(f *findings) string {
			with, without := f.guardHelps()
			return sentences(f.overloads(without), f.budgeted(*with), f.stopped(*with))
		},
	},
	{
		id: "overload-stays", slot: contrast,
		applies: func(f *findings) bool { return len(f.stuck()) > 0 },
		sentence: func(f *findings) string {
			stuck := f.stuck()
			said := "Overload stays here: with " + names(stuck) + " no run recovers"
			if f.jitterIsNoMatter(stuck) {
				said += ", with jitter as without"
			}
			capacity, _ := f.sc.Throughput()
			return said + ", although " + brief(f.sc.Clients.Workload.Rate) + " requests come a second where " + brief(capacity) + " can be served."
		},
		why: func(f *findings) string {
			stuck := f.stuck()
			return sentences(f.overloads(&stuck[0]), f.stale(stuck[0]))
		},
	},
	{
		id: "server-sheds", slot: contrast,
		applies: func(f *findings) bool { return f.fresh() != "" },
		sentence: func(f *findings) string {
			return "Every run recovers, whatever the policy: " + f.fresh() + ", so that what is served is hardly ever too late."
		},
		why: func(f *findings) string { return f.couldMake(*f.couldStay()) },
	},
	{
		id: "backing-off-alone", slot: contrast,
		applies: func(f *findings) bool { return f.alone() != nil },
		sentence: func(f *findings) string {
			s := *f.alone()
			if crashCount(s) < often {
				return "Backing off alone is not enough: with " + quoted(s) + " " + f.through(s) + "."
			}
			return "Backing off alone does not save this server: with " + quoted(s) + " " + f.itCrashes(s) + ", and " + f.through(s) + "."
		},
		why: func(f *findings) string { return sentences(f.inStep(), f.overloads(f.alone())) },
	},
	{
		id: "spread-already", slot: contrast,
		applies: func(f *findings) bool { return f.spread() > 0 && f.lateTwin() != nil },
		sentence: func(f *findings) string {
			return "Jitter only costs time here: 99" + nbsp + "% are served within " + f.third(f.best) + " without it, within " + f.third(*f.lateTwin()) + " with " + quoted(*f.lateTwin()) + "."
		},
		why: func(f *findings) string { return f.spreadWide() },
	},
	{
		id: "nobody", slot: praise,
		applies: func(f *findings) bool { return served(f.best) == 0 },
		sentence: func(f *findings) string {
			return "Nobody is served: no policy brings a single one of the " + f.whole(f.best) + " through."
		},
		why: silent,
	},
	{
		id: "not-even-half", slot: praise,
		applies: func(f *findings) bool { return served(f.best) < 0.5 && len(f.all) > 1 },
		sentence: func(f *findings) string {
			closest := quoted(f.best) + " comes closest, with " + f.score(f.best)
			if len(f.top) > 1 {
				closest = names(f.top) + " come closest and cannot be told apart; " + f.serves("they")
			}
			return "No policy serves even half of the " + f.whole(f.best) + ": " + closest + "."
		},
		why: func(f *findings) string { return sentences(f.wave(), f.bears(f.best)) },
	},
	{
		id: "no-crowd", slot: praise,
		applies: func(f *findings) bool { return len(f.top) == len(f.all) && f.noCrowd() && f.severalJitters() },
		sentence: func(f *findings) string {
			return "Jitter makes no difference here: the policies cannot be told apart, every difference lies within the intervals. " + f.serves("They") + "."
		},
		why: func(*findings) string {
			return "Requests come one by one at random moments and fail at random ones: there is no crowd to spread. Jitter spreads what an outage or a common start has brought together."
		},
	},
	{
		id: "level", slot: praise,
		applies: func(f *findings) bool { return len(f.top) == len(f.all) && len(f.all) > 1 },
		sentence: func(f *findings) string {
			return "The policies cannot be told apart: every difference lies within the intervals. " + f.serves("They") + "."
		},
		why: func(f *findings) string { return f.wave() },
	},
	{
		id: "level-at-the-top", slot: praise,
		applies: func(f *findings) bool { return len(f.top) > 1 },
		sentence: func(f *findings) string {
			return names(f.top) + " are best and cannot be told apart: " + f.serves("they") + "."
		},
		why: func(f *findings) string { return sentences(f.wave(), f.bears(f.best)) },
	},
	{
		id: "best-and-next", slot: praise,
		applies: func(f *findings) bool {
			return len(f.safe) > 1 && len(f.fewer) > 0 && f.who == "clients" && f.third(f.safe[1]) != noValue
		},
		sentence: func(f *findings) string {
			next := f.safe[1]
			return quoted(f.best) + " serves " + f.score(f.best) + "; " + quoted(next) + " serves as many in " + f.third(next) + "."
		},
		why: func(f *findings) string { return sentences(f.wave(), f.endures(f.best)) },
	},
	{
		id: "best", slot: praise,
		applies:  func(*findings) bool { return true },
		sentence: func(f *findings) string { return quoted(f.best) + " serves " + f.score(f.best) + "." },
		why:      func(f *findings) string { return sentences(f.wave(), f.endures(f.best), f.bears(f.best)) },
	},
	{
		id: "first-node", slot: lacking,
		applies: func(f *findings) bool { return f.firstNode() != nil },
		sentence: func(f *findings) string {
			s := *f.firstNode()
			return "The first node back meets the whole herd: with " + quoted(s) + " " + f.itCrashes(s) + ", although all " + count(float64(f.sc.Server.Nodes.Count)) + " together could serve what knocks."
		},
		why: func(f *findings) string { return sentences(f.endures(*f.firstNode()), f.fillsFirst(*f.firstNode())) },
	},
	{
		id: "guard-costs", slot: lacking,
		applies: func(f *findings) bool { with, _ := f.guardCosts(); return with != nil },
		sentence: func(f *findings) string {
			with, without := f.guardCosts()
			return f.guardSaid(*with, *without, "costs requests", "cost requests")
		},
		why: func(f *findings) string {
			with, _ := f.guardCosts()
			return f.stopped(*with)
		},
	},
	{
		id: "jitter-not-enough", slot: lacking,
		applies: func(f *findings) bool {
			worst := f.worst()
			return f.jitteredTop() && worst != nil && (same(worst, f.hasty()) || same(worst, f.quitter()))
		},
		sentence: func(f *findings) string {
			said := "Jitter is not enough: "
			hasty, quitter := f.hasty(), f.quitter()
			if hasty != nil {
				said += "with at most " + span(longest(*hasty)) + " between tries (" + quoted(*hasty) + ") " + f.itCrashes(*hasty) + ", and " + f.through(*hasty)
			}
			if hasty != nil && quitter != nil {
				said += "; "
			}
			if quitter != nil {
				said += "giving up after " + quitsAfter(*quitter) + " (" + quoted(*quitter) + ") " + f.leaves(*quitter)
			}
			return said + "."
		},
		why: func(f *findings) string {
			return sentences(f.tooOften(f.hasty()), f.overloads(f.hasty()), f.overBy(f.quitter()))
		},
	},
	{
		id: "harm", slot: lacking,
		applies: func(f *findings) bool { return len(f.others()) > 0 },
		sentence: func(f *findings) string {
			knocks, fewest := f.harmful()
			said := quoted(knocks) + " "
			if crashCount(knocks) >= often {
				said += f.crashesWhat() + " " + times(knocks) + " and "
			}
			said += f.leaves(knocks)
			if knocks.position != fewest.position {
				said += "; " + quoted(fewest) + " " + f.leaves(fewest)
			}
			return said + "."
		},
		why: func(f *findings) string {
			knocks, _ := f.harmful()
			return f.overloads(&knocks)
		},
	},
	{
		id: "cost", slot: lacking,
		applies: func(f *findings) bool { return len(f.top) < len(f.level()) },
		sentence: func(f *findings) string {
			level := f.level()
			last := level[len(level)-1]
			said := quoted(last) + " serves as many, within the intervals, "
			switch third := f.third(last); {
			case !f.by[1].meet(f.best, last):
				return said + "but " + crashes(last) + "."
			case third == noValue:
				return said + "but never 99" + nbsp + "%."
			case f.who == "clients":
				return said + "but takes " + third + " for 99" + nbsp + "% of them."
			default:
				return said + "but at " + third + " a second."
			}
		},
		why: silent,
	},
}

func silent(*findings) string { return "" }
