// Package export writes policies as the configuration of real systems, and says what each of them cannot say.
//
// A format first fits a policy: it changes it, step by step, into the nearest one that the target can carry out, and each
// step says why. The text is written from what is left, so the list of what is lost cannot disagree with it.
package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
)

// Formats is the catalogue of formats. A new one is a file like grpc.go and a line here.
var Formats = []Format{
	stampede,
	grpc,
	envoy,
	istio,
	stepFunctions,
	temporal,
	awsConfig,
	resilience4j,
	dotnet,
	bullMQ,
	cenkalti,
	failsafe,
	cockatiel,
	tenacity,
}

// Format is a way to write a policy down.
type Format struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Place     string `json:"place"`    // where the text goes, in one sentence
	Source    string `json:"source"`   // what its rules were read from, with the version
	File      string `json:"fileName"` // what a file of it is called
	MediaType string `json:"mediaType"`

	// fit changes a policy into the nearest one that the target can carry out.
	fit func(*fitting)
	// write writes what fit leaves.
	write func(strategies.Policy) string
	// read is write's inverse, for a format that can be imported; else nil.
	read func(node) strategies.Policy
}

// File is a policy in a format.
type File struct {
	Format    string   `json:"format"`
	Name      string   `json:"fileName"`
	MediaType string   `json:"mediaType"`
	Text      string   `json:"text"`
	Lossy     []Loss   `json:"lossy"`
	Notes     []string `json:"notes"` // what to know when using it, though nothing is lost
	// Does is what the target will really do.
	Does strategies.Policy `json:"does"`
}

// Loss is a field of the policy that the target will treat otherwise than asked.
type Loss struct {
	Field   string `json:"field"`   // its path, such as schedule.factor
	Wanted  string `json:"wanted"`  // as text
	Written string `json:"written"` // as text
	Reason  string `json:"reason"`
}

// Refusal is the error of a policy that a format cannot write sensibly.
type Refusal struct{ Format, Reason string }

func (r *Refusal) Error() string { return r.Format + ": " + r.Reason }

// Find returns the format of an id, and false if there is none.
func Find(id string) (Format, bool) {
	for _, f := range Formats {
		if f.ID == id {
			return f, true
		}
	}
	return Format{}, false
}

// IDs lists the formats' ids.
func IDs() []string {
	ids := make([]string, len(Formats))
	for i, f := range Formats {
		ids[i] = f.ID
	}
	return ids
}

// Export writes a valid policy. It returns a *Refusal if nothing sensible can be written.
func (f Format) Export(p strategies.Policy) (File, error) {
	name := f.fileName(p)
	p.CapAfterJitter = p.CapAfterJitter || p.GrowsPastCap // the latter implies the former: no target loses it
	fitted := fitting{asked: p, fits: p}
	f.fit(&fitted)
	if fitted.refusal != "" {
		return File{}, &Refusal{f.Name, fitted.refusal}
	}
	return File{
		Format:    f.ID,
		Name:      name,
		MediaType: f.MediaType,
		Text:      f.write(fitted.fits),
		Lossy:     fitted.lossy(),
		Notes:     append([]string{}, fitted.notes...),
		Does:      fitted.fits,
	}, nil
}

// fileName is the format's, after the policy's id where that is fit for it.
func (f Format) fileName(p strategies.Policy) string {
	id := strings.Map(func(c rune) rune {
		if c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return -1
	}, cmp.Or(p.ID, p.Kinds()))
	return strings.Trim(id+"-"+f.File, "-")
}

// indented writes JSON for people to read.
func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // there is no NaN in a valid policy
	}
	return b.String()
}
