package serve_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nopezoo/zoo/serve"
)

// impatient connects to a service that waits for its clients for a moment only.
func impatient(t *testing.T) net.Conn {
	t.Helper()
	s := openModel(t)
	h, err := serve.New([]serve.Model{{Name: "tiny", Session: s}}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	h.Replace("tiny", s)
	h.SetPatience(100 * time.Millisecond)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestSlowBody: a client whose body does not come is answered and disconnected, whatever it asks
// for.
func TestSlowBody(t *testing.T) {
	for path, status := range map[string]int{"/v1/completions": 408, "/v1/models": 405, "/v1/nothing": 404} {
		conn := impatient(t)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", path)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != status || !r.Close {
			t.Errorf("%s: status %d, %v, want %d and an end of the connection", path, r.StatusCode, err, status)
		}
	}
}

// TestSlowReader: a client that asks and does not read loses its connection.
func TestSlowReader(t *testing.T) {
	conn := impatient(t)
	requests := strings.Repeat("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
	var err error
	for err == nil {
		_, err = io.WriteString(conn, requests)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v: the service waits", err)
	}
}

// TestBodies: what bodies of all requests take is bounded, read or not yet: more get status 429
// until others have ended.
func TestBodies(t *testing.T) {
	hold := newHeld(openModel(t))
	_, _, server := service(t, serve.Options{Limits: serve.Limits{Body: 50_000, Bodies: 80_000}}, hold)
	large := strings.Replace(plain, "{", `{"user": "`+strings.Repeat("u", 40_000)+`", `, 1)
	first := begin(t.Context(), server, large)
	<-hold.began
	if r := <-begin(t.Context(), server, large); r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" || !strings.Contains(r.text, "80000 bytes") {
		t.Errorf("one more large request: %+v", r)
	}
	second := begin(t.Context(), server, plain)
	<-hold.began
	if r := <-begin(t.Context(), server, plain); r.status != http.StatusTooManyRequests {
		t.Errorf("one more small request: %+v", r)
	}
	close(hold.let)
	for _, r := range []reply{<-first, <-second, <-begin(t.Context(), server, large)} {
		if r.status != http.StatusOK {
			t.Errorf("got %+v", r)
		}
	}
}
