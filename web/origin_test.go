package web

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOriginIsThatOfTheRequest(t *testing.T) {
	s := newTestServer(nil)
	for host, want := range map[string]string{
		"example.org": "http://example.org", "localhost:8080": "http://localhost:8080", "127.0.0.1:80": "http://127.0.0.1:80",
		"[::1]:8080": "http://[::1]:8080", "a-b.example.org": "http://a-b.example.org", "example.org.": "http://example.org.",
		"": "", "a b": "", `x"><script>`: "", "evil.org/path": "", "user@evil.org": "", "a..b": "", "-a": "", "example.org:port": "",
		"example.org:123456": "", "[::1": "", "ex%61mple": "", "a\r\nb": "", "bücher.example": "", strings.Repeat("a.", 200) + "a": "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		r.Header.Set("X-Forwarded-Proto", "https") // anyone can say so
		r.Header.Set("X-Forwarded-Host", "evil.org")
		if got := s.origin(r); got != want {
			t.Errorf("host %q: origin %q, want %q", host, got, want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.TLS = &tls.ConnectionState{}
	if got := s.origin(r); got != "https://example.com" {
		t.Errorf("over TLS: %s", got)
	}
	s.baseURL = "https://stampede.example.org"
	if got := s.origin(r); got != s.baseURL {
		t.Errorf("with a base URL: %s", got)
	}
}

func TestBaseURLIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"https://stampede.example.org": "https://stampede.example.org", "http://localhost:8080/": "http://localhost:8080",
		"": "", "stampede.example.org": "", "ftp://example.org": "", "https://": "", "https://example.org/path": "", "https://example.org/?q": "",
		"https://example.org?": "", "https://example.org/#f": "", "https://user@example.org": "", "https://exa mple.org": "", "javascript:alert(1)": "",
	} {
		got, err := CheckBaseURL(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "https://stampede.example.org") {
			t.Errorf("%q: the error does not say what is accepted: %v", text, err)
		}
	}
}
