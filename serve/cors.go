package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// anyOrigin lets the pages of every site ask.
const anyOrigin = "*"

// checkOrigins refuses what is no origin.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if origin != anyOrigin && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			return fmt.Errorf("serve: the origin %q: want a scheme and a host, such as https://example.org or http://localhost:3000, or *", shortened(origin))
		}
	}
	return nil
}

// cors answers what browsers ask for pages of sites that may use the service: whether the page may, and then the
// request itself (Cross-Origin Resource Sharing, in the Fetch standard).
func cors(origins []string, inner http.Handler) http.Handler {
	if len(origins) == 0 {
		return inner
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		w.Header().Add("Vary", "Origin")
		if origin == "" || !slices.Contains(origins, anyOrigin) && !slices.Contains(origins, origin) {
			inner.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			inner.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		w.Header().Set("Access-Control-Max-Age", "600") // seconds
		w.WriteHeader(http.StatusNoContent)
	})
}
