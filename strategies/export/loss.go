package export

// What differs between two policies, field by field.

import (
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/strategies/spec"
)

// difference is a field of which two policies say different things.
type difference struct{ field, was, is string }

// differences lists the fields that differ. Where the kind does, a choice is one field. Id and name do not count.
func differences(a, b strategies.Policy) []difference {
	was, is := texts(a), texts(b)
	var list []difference
	add := func(field string) {
		if was[field] != is[field] {
			list = append(list, difference{field, orNone(was[field]), orNone(is[field])})
		}
	}
	for _, item := range spec.Items(&a) {
		switch path := item.Path; {
		case path == "id" || path == "name":
		case item.Items == nil || item.Optional || was[path+".kind"] != is[path+".kind"]:
			add(path)
		default:
			for _, inner := range item.Items {
				add(inner.Path)
			}
		}
	}
	return list
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// texts are a policy's fields as text by path; an object's is that of all its fields.
func texts(p strategies.Policy) spec.Texts {
	all := spec.Texts{}
	var gather func(items []spec.Item) string
	gather = func(items []spec.Item) string {
		var parts []string
		for _, item := range items {
			switch {
			case item.Absent:
				continue
			case item.Items != nil:
				all[item.Path] = gather(item.Items)
			default:
				all[item.Path] = item.Text
				key := item.Path[strings.LastIndexByte(item.Path, '.')+1:]
				if key == "kind" {
					parts = append(parts, item.Text)
				} else {
					parts = append(parts, key+"="+item.Text)
				}
			}
		}
		return strings.Join(parts, ",")
	}
	gather(spec.Items(&p))
	return all
}

// isWaiting reports whether a field is about how long to wait.
func isWaiting(field string) bool {
	top, _, _ := strings.Cut(field, ".")
	return top == "schedule" || top == "cap" || top == "capAfterJitter" || top == "growsPastCap" || top == "jitter"
}

// lossy lists what the target will do otherwise than asked.
func (f *fitting) lossy() []Loss {
	losses := []Loss{}
	for _, d := range differences(f.asked, f.fits) {
		losses = append(losses, Loss{Field: d.field, Wanted: d.was, Written: d.is, Reason: f.why(d.field)})
	}
	return losses
}

// why gathers the reasons for changes of a field, or of the choice that it belongs to.
func (f *fitting) why(field string) string {
	var texts []string
	for _, r := range f.reasons {
		related := r.field == field || strings.HasPrefix(r.field, field+".") || strings.HasPrefix(field, r.field+".")
		if related && !strings.Contains(strings.Join(texts, "; "), r.text) {
			texts = append(texts, r.text)
		}
	}
	return strings.Join(texts, "; ")
}

// WaitsDiffer reports whether the target waits otherwise than asked.
func (f File) WaitsDiffer() bool {
	return slices.ContainsFunc(f.Lossy, func(l Loss) bool { return isWaiting(l.Field) })
}
