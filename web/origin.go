package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
)

// This file says where the page is for others: the origin that absolute links begin with.

// hosts are what a Host header may be taken for: a name, an IPv4 or a bracketed IPv6 address, and a port. Whatever else a
// client sends there stands in no link.
var hosts = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\.?|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// origin is where a request's page is: the base URL if there is one, else the host that was asked. It is empty if that is
// no host. A proxy that takes HTTPS off needs the base URL, for headers that say so could come from anyone.
func (s *Server) origin(r *http.Request) string {
	if s.baseURL != "" {
		return s.baseURL
	}
	if len(r.Host) > 255 || !hosts.MatchString(r.Host) {
		return ""
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// CheckBaseURL returns a base URL as Config takes it; a slash at its end does no harm.
func CheckBaseURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(u.Host) > 255 || !hosts.MatchString(u.Host) ||
		u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", fmt.Errorf("%.100q is no base URL; it must be http:// or https:// and a host, such as https://stampede.example.org", text)
	}
	return u.Scheme + "://" + u.Host, nil
}
