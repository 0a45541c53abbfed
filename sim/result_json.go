package sim

// Results as JSON: metrics are one object, in order; lists are never null.

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON writes one object: the metrics by name, in order.
func (m Metrics) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Metric)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes a list that has no elements as one, not as null.
func (p PolicyResult) MarshalJSON() ([]byte, error) {
	type plain PolicyResult // without this method
	run, mean := &p.Run, &p.Series
	notNil(&run.Arrivals, &run.Served, &run.Succeeded, &run.Refused, &run.TimedOut)
	notNil(&run.Queue, &run.InService, &run.Waiting)
	notNil(&run.Down)
	for i := range run.Nodes {
		nd := &run.Nodes[i]
		notNil(&nd.Arrivals, &nd.Served, &nd.Refused)
		notNil(&nd.Down)
	}
	notNil(&mean.Arrivals, &mean.ArrivalsP10, &mean.ArrivalsP90, &mean.Served, &mean.Succeeded, &mean.Refused, &mean.TimedOut)
	notNil(&mean.Queue, &mean.InService, &mean.Waiting)
	notNil(&p.Delays)
	notNil(&p.Warnings)
	return json.Marshal(plain(p))
}

func notNil[T any](lists ...*[]T) {
	for _, list := range lists {
		if *list == nil {
			*list = []T{}
		}
	}
}
