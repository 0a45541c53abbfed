package export

// Durations in the targets' dialects.

import (
	"fmt"
	"math"
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

// goDuration is a duration in Go.
func goDuration(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{time.Hour, "time.Hour"}, {time.Minute, "time.Minute"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}, {time.Microsecond, "time.Microsecond"}}
	for _, u := range units {
		switch n := d / u.size; {
		case d == 0:
			return "0"
		case d == u.size:
			return u.name
		case d%u.size == 0:
			return fmt.Sprintf("%d * %s", n, u.name)
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

// timeSpan is a duration as .NET reads it, [d.]hh:mm:ss[.fffffff]. Fractions are of 100 ns.
func timeSpan(d time.Duration) string {
	text := fmt.Sprintf("%02d:%02d:%02d", d/time.Hour%24, d/time.Minute%60, d/time.Second%60)
	if days := d / (24 * time.Hour); days > 0 {
		text = fmt.Sprintf("%d.%s", days, text)
	}
	if part := d % time.Second / 100; part > 0 {
		text += trimZeros(fmt.Sprintf(".%07d", part))
	}
	return text
}

// milliseconds is a duration in whole milliseconds.
func milliseconds(d time.Duration) int64 { return int64(d / time.Millisecond) }

// percent is a share in percent, without what binary fractions add to it.
func percent(share float64) float64 { return math.Round(1e9*100*share) / 1e9 }

// number is a float as text in whatever language.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
