package export

// Durations in the targets' dialects.

import (
	"fmt"
	"strconv"
	"time"
)

// protoSeconds is a duration as protobuf's JSON has it: decimal seconds with at most nine digits after the point.
func protoSeconds(d time.Duration) string { return decimal(d) + "s" }

// decimal is a duration in seconds as a decimal fraction, exact.
func decimal(d time.Duration) string {
	text := strconv.FormatInt(int64(d/time.Second), 10)
	if part := d % time.Second; part > 0 {
		text += trimZeros(fmt.Sprintf(".%09d", part))
	}
	return text
}

func trimZeros(text string) string {
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	return text
}
