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
	{ID: "knocked-over-again", Shows: "A server that comes back slowly crashes as often as the herd returns together."},
	{ID: "outage", Shows: "Without jitter a thousand clients stay together, and a rate limit lets few of each wave pass."},
	{ID: "rate-limited-api", Shows: "A limit of 50 calls a second: who heeds Retry-After, and who runs out of attempts."},
	{ID: "steady-traffic-timeouts", Shows: "After a five-second hang, retries keep a busy server overloaded, backed off or not; without any it recovers."},
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
