package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// strangers refuses what a page of another site has someone's browser ask, unless its origin is among those given. Browsers say of which
// site the page is. A page whose own name was made to stand for this machine is of the same site
// to them; so a service without a key that is reached at a loopback address knows no names but
// localhost.
func (h *Handler) strangers(origins []string, inner http.Handler) http.Handler {
	refuse := func(message func(*http.Request) string) http.Handler {
		return h.handle(route{path: "other", open: true, serve: func(c *call) error {
			return &failure{status: http.StatusForbidden, kind: kindRequest, message: message(c.r)}
		}})
	}
	site := http.NewCrossOriginProtection()
	site.SetDenyHandler(refuse(func(*http.Request) string { return "requests of pages of other sites are refused" }))
	for _, origin := range origins {
		if origin == anyOrigin {
			site.AddInsecureBypassPattern("/")
		} else if err := site.AddTrustedOrigin(origin); err != nil {
			panic(err) // checkOrigins knows better
		}
	}
	same := site.Handler(inner)
	named := refuse(func(r *http.Request) string {
		return "the request is for the host " + shortened(r.Host) + "; without a key only localhost and IP addresses are served here"
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if h.key == nil && known && isLoopback(at) && !isLocal(r.Host) {
			named.ServeHTTP(w, r)
			return
		}
		same.ServeHTTP(w, r)
	})
}

// isLocal reports whether a Host header names no machine but this one: by an IP address, as
// localhost, or not at all.
func isLocal(name string) bool {
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	_, err := netip.ParseAddr(name)
	return err == nil || name == "" || strings.EqualFold(name, "localhost")
}
