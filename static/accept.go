package static

import (
	"net/http"
	"strconv"
	"strings"
)

// Coding returns the content coding to answer a request in: "br" or "gzip", whichever the client likes better, or ""
// for none. See RFC 9110, section 12.5.3.
func Coding(r *http.Request) string {
	br, gzip := Quality(r, "Accept-Encoding", "br", "*"), Quality(r, "Accept-Encoding", "gzip", "*")
	switch {
	case br > 0 && br >= gzip:
		return "br"
	case gzip > 0:
		return "gzip"
	}
	return ""
}

// Quality returns the weight, 0 to 1, that a request's Accept… header gives to the first of the values that it names,
// most specific first; 0 if it names none.
func Quality(r *http.Request, header string, values ...string) float64 {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(strings.Join(r.Header.Values(header), ","), ",") {
		value, params, _ := strings.Cut(item, ";")
		weights[strings.ToLower(strings.TrimSpace(value))] = weight(params)
	}
	for _, v := range values {
		if q, ok := weights[v]; ok {
			return q
		}
	}
	return 0
}

// weight returns the q of parameters such as "charset=utf-8; q=0.5": 1 if there is none, 0 if it makes no sense.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(key, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
