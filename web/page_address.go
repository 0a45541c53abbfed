package web

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// The address of the compare page is its state: the scenario's query, and what of it is shown. Links get old, are cut off
// and mistyped, so whatever of an address can be read is, and the rest is told.

// state is what an address of the page says.
type state struct {
	scenario *sim.Scenario
	shown    []string // ids of the policies in the charts; none: the page chooses
	editing  string   // id of the policy in the editor; "": none
	baseline string   // id of the policy that the others are compared with; "": none
	opened   string   // id of the policy of which all figures are shown; "": none
	tab      string   // id of the tab that is shown, if it is not the first
	client   int      // whose attempts are listed, from 1; 0: the page chooses
	marks    marks
	whatIf   whatIf
	address  string   // the canonical query of all that; parseState fills it in
	notes    []string // on the document that was just taken: no part of the address
	offered  bool     // the page it was made from offers the same policies to add
	said     saying   // what a state that has been parsed says of its scenario, which takes a while to find
}

// saying is a scenario and its query.
type saying struct {
	scenario *sim.Scenario
	query    url.Values
}

// pageKeys are what an address says besides the scenario.
var pageKeys = append([]string{"show", "tab", "client", "edit", "marks", "baseline", "open"}, whatIfKeys...)

func deletePageKeys(query url.Values) {
	for _, key := range pageKeys {
		query.Del(key)
	}
}

// opening is the state of the address without a query.
func opening() state {
	s := state{scenario: sim.Default()}
	s.marks = markPolicies(nil, s.scenario.Policies)
	return s
}

func (s state) query() url.Values {
	q := s.scenarioQuery()
	if len(s.shown) > 0 {
		q["show"] = s.shown
	}
	if s.tab != "" {
		q.Set("tab", s.tab)
	}
	if s.client > 0 {
		q.Set("client", strconv.Itoa(s.client))
	}
	for _, named := range s.named() {
		if *named.id != "" {
			q.Set(named.key, *named.id)
		}
	}
	if text := s.marks.text(s.scenario.Policies); text != "" {
		q.Set("marks", text)
	}
	s.whatIf.write(q)
	return q
}

// scenarioQuery is the part of the query that says what is simulated.
func (s state) scenarioQuery() url.Values {
	if s.said.scenario != s.scenario {
		return s.scenario.Query()
	}
	return maps.Clone(s.said.query)
}

// parseState reads an address's query. Its error holds spec.Faults for what cannot be read; the state has the rest.
func parseState(query url.Values) (state, error) {
	var faults spec.Collector
	sc, err := readable(query)
	faults.Merge("", err)
	s := state{scenario: sc}
	s.readCharts(query, &faults)
	for _, named := range s.named() {
		if id := query.Get(named.key); s.place(id) >= 0 {
			*named.id = id
		} else if id != "" {
			faults.Addf("/"+named.key, "%s must be the id of one of the policies, not %.40q", named.key, id)
		}
	}
	said, problem := parseMarks(query.Get("marks"), sc.Policies)
	if problem != "" {
		faults.Add("/marks", problem)
	}
	s.marks = markPolicies(said, sc.Policies)
	s.whatIf = readWhatIf(query, &faults)
	s.said = saying{sc, sc.Query()}
	s.address = encode(s.query())
	return s, faults.Err()
}

// readCharts reads what an address says of the charts: which policies are in them, what tab and what client.
func (s *state) readCharts(query url.Values, faults *spec.Collector) {
	asked := query["show"]
	for _, p := range s.scenario.Policies {
		if slices.Contains(asked, p.ID) {
			s.shown = append(s.shown, p.ID)
		}
	}
	for _, id := range asked {
		if s.place(id) < 0 {
			faults.Addf("/show", "show must be the id of one of the policies, not %.40q", id)
		}
	}
	if n := len(s.shown); n > maxShown {
		faults.Addf("/show", "%d policies are to be shown; the charts have room for %d", n, maxShown)
		s.shown = s.shown[:maxShown]
	}
	tab, problem := tabOf(query.Get("tab"))
	s.tab = tab
	if problem != "" {
		faults.Add("/tab", problem)
	}
	client, problem := clientOf(query.Get("client"))
	s.client = client
	if problem != "" {
		faults.Add("/client", problem)
	}
}

// namedPolicy is a policy that an address names for some purpose.
type namedPolicy struct {
	key string
	id  *string // "": none
}

func (s *state) named() []namedPolicy {
	return []namedPolicy{{"edit", &s.editing}, {"baseline", &s.baseline}, {"open", &s.opened}}
}

// forget takes back what was said of policies that have gone.
func (s *state) forget() {
	for _, named := range s.named() {
		if s.place(*named.id) < 0 {
			*named.id = ""
		}
	}
	s.shown = slices.DeleteFunc(slices.Clone(s.shown), func(id string) bool { return s.place(id) < 0 })
}

// place is where a policy is in the scenario, −1 if there is none of that id.
func (s state) place(id string) int {
	return slices.IndexFunc(s.scenario.Policies, func(p strategies.Policy) bool { return p.ID == id })
}

// encode writes a query with no escapes that it can do without: people read links, and programs cut long ones off.
func encode(query url.Values) string {
	return strings.NewReplacer("%2C", ",", "%3D", "=", "%2F", "/", "%3A", ":").Replace(query.Encode())
}

// maxReadings bounds how often an address is read anew without what was wrong. Each reading tells of a hundred faults.
const maxReadings = 20

// readable reads as much of a scenario's query as it can. Its error holds spec.Faults for the rest.
func readable(query url.Values) (*sim.Scenario, error) {
	var faults spec.Collector
	query = maps.Clone(query)
	deletePageKeys(query)
	if n := len(query["p"]); n > maxRows {
		faults.Addf("/policies", "there are %d policies; the page has room for %d", n, maxRows)
		query["p"] = query["p"][:maxRows]
	}
	for range maxReadings {
		sc, err := sim.ParseQuery(query)
		if err == nil {
			return sc, faults.Err()
		}
		faults.Merge("", err)
		leaveOut(query, err)
	}
	return sim.Default(), faults.Err()
}

// leaveOut removes from a query what an error's faults are about.
func leaveOut(query url.Values, err error) {
	bad, _ := errors.AsType[spec.Faults](err)
	policies := slices.Clone(query["p"])
	for _, f := range bad {
		if i, below, ok := inPolicy(f.Pointer); ok && i < len(policies) {
			policies[i] = withoutPart(policies[i], below)
			continue
		}
		removeAround(query, f)
	}
	query["p"] = slices.DeleteFunc(policies, func(text string) bool { return text == "" })
	if len(query["p"]) == 0 {
		query.Del("p")
	}
}

// inPolicy splits a pointer into one of the policies: /policies/3/cap.
func inPolicy(pointer string) (index int, below string, ok bool) {
	rest, ok := strings.CutPrefix(pointer, "/policies/")
	if !ok {
		return 0, "", false
	}
	number, below, _ := strings.Cut(rest, "/")
	index, err := strconv.Atoi(number)
	return index, below, err == nil && index >= 0
}

// withoutPart leaves out of a policy's text the part that a pointer is about; the whole text if that is no part.
func withoutPart(text, pointer string) string {
	key := pointer[strings.LastIndexByte(pointer, '/')+1:]
	if pointer == "jitter/kind" {
		key = "jitter"
	}
	parts := strings.Split(text, ",")
	kept := append(parts[:1:1], slices.DeleteFunc(slices.Clone(parts[1:]), func(part string) bool {
		name, _, pair := strings.Cut(part, "=")
		return !pair && key == "" || pair && strings.TrimSpace(name) == key
	})...)
	if len(kept) == len(parts) {
		return ""
	}
	return strings.Join(kept, ",")
}

// removeAround removes the key that a fault is about. Where it is about what is missing, it is the keys closest to that.
func removeAround(query url.Values, f spec.Fault) {
	before := len(query)
	maps.DeleteFunc(query, func(key string, _ []string) bool { return key != "p" && isAt(f, key) })
	for around := f.Pointer; len(query) == before; around = around[:max(strings.LastIndexByte(around, '/'), 0)] {
		maps.DeleteFunc(query, func(key string, _ []string) bool {
			return key != "p" && strings.HasPrefix("/"+strings.ReplaceAll(key, ".", "/")+"/", around+"/")
		})
		if around == "" {
			return
		}
	}
}
