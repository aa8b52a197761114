// Package chromiumtest tests pages in a headless Chromium.
package chromiumtest

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Browser is a headless Chromium that obeys over a pair of pipes, by the DevTools
// protocol: one JSON message after another, each closed by a zero byte. The little
// that is needed here costs less than a client library would.
type Browser struct {
	T        testing.TB // the test that is at work now
	Errors   []string   // console errors and uncaught exceptions of the page
	Requests []string   // all that the page asked for
	to       *os.File
	from     *bufio.Reader
	session  string
	last     int
}

// find returns the browser's program; the test is skipped without one, or fails if
// ZOO_REQUIRE_CHROMIUM=1.
func find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("ZOO_REQUIRE_CHROMIUM") == "1" {
		t.Fatal("ZOO_REQUIRE_CHROMIUM=1, but there is no chromium in the PATH")
	}
	t.Skip("no chromium in the PATH; install it to test the page (apt-get install chromium)")
	return ""
}

// Start starts a browser with an empty page. The test is skipped where there is no Chromium,
// and fails if ZOO_REQUIRE_CHROMIUM=1.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := find(t)
	fromUs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, fromIt, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-pipe",
		"--user-data-dir="+t.TempDir(), "about:blank")
	c.ExtraFiles = []*os.File{fromUs, fromIt} // 3 and 4, as the browser expects
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	fromIt.Close()
	b := &Browser{T: t, to: to, from: bufio.NewReader(from)}
	stuck := time.AfterFunc(2*time.Minute, func() { from.Close() }) // a reply that never comes must not hang the tests
	t.Cleanup(func() {
		b.send("Browser.close", nil)
		stuck.Stop()
		to.Close()
		c.Wait() // its exit status tells nothing
		from.Close()
	})
	var target struct{ TargetID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil, nil)
	}
	return b
}

// Load opens a page and waits until it is drawn.
func (b *Browser) Load(url string) {
	b.Errors, b.Requests = nil, nil
	b.Call("Page.navigate", map[string]any{"url": url}, nil)
	for b.Eval("document.readyState + ' ' + document.URL") != "complete "+url {
		time.Sleep(20 * time.Millisecond)
	}
	b.Settle()
}

func (b *Browser) send(method string, params any) {
	b.last++
	message := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		message["params"] = map[string]any{}
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err != nil {
		b.T.Fatalf("%s: %v", method, err)
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		b.T.Errorf("%s: %v", method, err)
	}
}

// Call calls a method of the protocol and waits for the answer, and notes what the page did meanwhile.
func (b *Browser) Call(method string, params, into any) {
	b.T.Helper()
	b.send(method, params)
	for {
		data, err := b.from.ReadBytes(0)
		if err != nil {
			b.T.Fatalf("%s: the browser does not answer: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			b.T.Fatal(err)
		}
		if m.ID != b.last {
			b.note(m.Method, m.Params)
			continue
		}
		if m.Error != nil {
			err = errors.New(m.Error.Message)
		} else if into != nil {
			err = json.Unmarshal(m.Result, into)
		}
		if err != nil {
			b.T.Fatalf("%s: %v", method, err)
		}
		return
	}
}

// note keeps errors and requests.
func (b *Browser) note(event string, params json.RawMessage) {
	switch event {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.Errors = append(b.Errors, string(params))
	case "Runtime.consoleAPICalled":
		if strings.Contains(string(params), `"type":"error"`) || strings.Contains(string(params), `"type":"warning"`) {
			b.Errors = append(b.Errors, string(params))
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(params, &p) == nil {
			b.Requests = append(b.Requests, p.Request.URL)
		}
	}
}

// Eval runs JavaScript in the page and returns its value.
func (b *Browser) Eval(script string) any {
	b.T.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &out)
	if out.ExceptionDetails != nil {
		b.T.Fatalf("%s: %s", script, out.ExceptionDetails.Exception.Description)
	}
	return out.Result.Value
}

// WaitFor waits until a condition in JavaScript holds, or fails the test when it has not
// after so long. What says how far the page is then.
func (b *Browser) WaitFor(condition string, most time.Duration, what string) {
	b.T.Helper()
	for end := time.Now().Add(most); b.Eval(condition) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.T.Fatalf("after %v not yet: %s; %v", most, condition, b.Eval(what))
		}
	}
}

// Size gives the window a size and waits until the page is drawn anew.
func (b *Browser) Size(width, height int) {
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": false}, nil)
	b.Settle()
}

// Scheme makes the system's colours "light" or "dark".
func (b *Browser) Scheme(name string) {
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
		"value": name}}}, nil)
	b.Settle()
}

// Settle waits for two frames, so that all pending drawing is done.
func (b *Browser) Settle() {
	b.Eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// Type puts text into what has the focus, as a keyboard does.
func (b *Browser) Type(text string) { b.Call("Input.insertText", map[string]any{"text": text}, nil) }

// Press types one key.
func (b *Browser) Press(key string, code int) {
	for _, kind := range []string{"keyDown", "keyUp"} {
		event := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if key == "Enter" && kind == "keyDown" {
			event["text"] = "\r"
		}
		b.Call("Input.dispatchKeyEvent", event, nil)
	}
}

// Screenshot keeps a picture of the whole page in the folder of ZOO_SCREENSHOTS,
// for people to look at.
func (b *Browser) Screenshot(name string) {
	folder := os.Getenv("ZOO_SCREENSHOTS")
	if folder == "" {
		return
	}
	var shot struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(folder+"/"+name+".png", data, 0o644); err != nil {
		b.T.Error(err)
	}
}
