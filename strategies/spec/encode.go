package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// EncodeJSON writes d in its canonical form: fields in the order of their declaration, every default written out,
// optional objects only where there are any. Decoding it gives d again.
func EncodeJSON(d Document) ([]byte, error) {
	var b bytes.Buffer
	err := encode(&b, d)
	return b.Bytes(), err
}

func encode(b *bytes.Buffer, d Document) error {
	fields := d.Fields()
	separator := byte('{')
	for i := range fields {
		f := &fields[i]
		if !f.active(fields) || f.optional && f.documents() == nil {
			continue
		}
		b.WriteByte(separator)
		separator = ','
		fmt.Fprintf(b, "%q:", f.Key)
		if err := f.encode(b); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func (f *Field) encode(b *bytes.Buffer) error {
	if f.scalar() {
		text, err := json.Marshal(jsonValue(f.get()))
		b.Write(text)
		return err
	}
	documents := f.documents()
	if f.Type == Object {
		return encode(b, documents[0])
	}
	b.WriteByte('[')
	for i, d := range documents {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, d); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}
