package sim

import (
	"embed"
	"fmt"
)

// Preset is a scenario worth looking at.
type Preset struct {
	ID       string    `json:"id"`
	Shows    string    `json:"shows"` // one sentence: what there is to see
	Scenario *Scenario `json:"scenario"`
}

//go:embed presets/*.json
var presetFiles embed.FS

// presets are the documents in presets/. A new one is a file there and a line here; the first is the opening scenario.
var presets = []Preset{
	{ID: "default", Shows: "A herd that lost its server knocks it over again, unless it is spread out and patient."},
	{ID: "spread-failures", Shows: "Clients that notice the outage over five seconds are spread out already: without jitter 99 % are served sooner than with full jitter."},
	{ID: "ordinary-traffic", Shows: "New requests beside the herd, only 15 % of the capacity, bring full jitter from all served to little more than a quarter; a longer cap serves all."},
	{ID: "quarter-every-second", Shows: "A quarter of the fleet still retries every second. With full jitter in the rest all are served; without jitter only that quarter is."},
	{ID: "cold-cache", Shows: "A server that starts at a twentieth of its speed crashes seven times where a warm one does not; a cap of 30 s spares it, a minute is only slower."},
	{ID: "knocked-over-again", Shows: "A server that comes back slowly crashes as often as the herd returns together."},
	{ID: "mobile-reconnect", Shows: "Fifty thousand devices, 2000 a second: full jitter up to 15 s crashes the gateway dozens of times, up to a minute never; two minutes are only slower."},
	{ID: "cron-full-hour", Shows: "Jobs that all start on the hour crash a healthy server before any retry. Only a first wait as long as the work takes keeps it at that one crash."},
	{ID: "rolling-deploy", Shows: "Four restarts at half the capacity: retries without limit that start at once serve fewer than no retry at all; a random wait of up to 10 s loses hardly any."},
	{ID: "database-failover", Shows: "Thirty seconds without a database: five quick attempts serve hardly more than one; a minute of patience loses nothing."},
	{ID: "steady-traffic-timeouts", Shows: "After a five-second hang, retries keep a busy server overloaded, backed off or not; without any it recovers."},
	{ID: "unsynchronised", Shows: "Requests that come one by one and fail by chance: nothing brings them together, so jitter makes no difference."},
	{ID: "outage", Shows: "Without jitter a thousand clients stay together, and a rate limit lets few of each wave pass."},
	{ID: "rate-limited-api", Shows: "A limit of 50 calls a second: who heeds Retry-After, and who runs out of attempts."},
	{ID: "contention", Shows: "A hundred writers of one row, the model behind the AWS article on backoff and jitter."},
}

// Presets returns the preset scenarios, the opening one first.
func Presets() []Preset {
	list := make([]Preset, len(presets))
	for i, p := range presets {
		p.Scenario = load(p.ID)
		list[i] = p
	}
	return list
}

// Default returns the opening scenario.
func Default() *Scenario { return load(presets[0].ID) }

// load panics on a preset that is faulty, which a test would have found.
func load(id string) *Scenario {
	data, err := presetFiles.ReadFile("presets/" + id + ".json")
	if err != nil {
		panic(err)
	}
	s, err := ParseScenario(data)
	if err != nil {
		panic(fmt.Sprintf("sim: preset %s: %v", id, err))
	}
	return s
}
