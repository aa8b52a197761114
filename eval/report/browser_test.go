package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/eval/report"
	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/internal/chromiumtest"
)

// write puts the page of rows into a file and returns its address.
func write(t *testing.T, rows []eval.Row) string {
	t.Helper()
	s, err := report.New(rows, report.Options{Options: summary.Options{Encodings: encodings}, Command: "zoo report results/"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.Write(f, "html"); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// drawn is how many charts in view have something in them.
const drawn = `[...document.querySelectorAll(".chart")].filter((c) => c.offsetParent && c.querySelectorAll("svg path").length > 3).length`

// TestBrowser loads the page of a whole study in a real browser, with all its
// themes, widths and controls.
func TestBrowser(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1200, 900)
	b.Load(write(t, synthetic([]string{"copy", "reverse", "addition", "parity", "scan"}, 3)))
	if n := b.Eval(drawn); n != 8.0 { // accuracy, four costs, trade-off, heat map, published
		t.Errorf("%v charts drawn, want 8", n)
	}
	b.Screenshot("light")
	b.Scheme("dark")
	if bg := b.Eval("getComputedStyle(document.body).backgroundColor"); bg != "rgb(20, 23, 27)" {
		t.Errorf("background in a dark system is %v", bg)
	}
	b.Screenshot("dark")
	b.Eval(`document.getElementById("theme").click()`)
	if bg := b.Eval("getComputedStyle(document.body).backgroundColor"); bg != "rgb(255, 255, 255)" {
		t.Errorf("background after the switch in a dark system is %v", bg)
	}
	for _, width := range []int{1200, 700, 400, 320} {
		b.Size(width, 800)
		if over := b.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != 0.0 {
			t.Errorf("at width %d the page is %v pixels too wide", width, over)
		}
		if n := b.Eval(drawn); n != 8.0 {
			t.Errorf("%v charts drawn at width %d, want 8", n, width)
		}
		b.Screenshot(fmt.Sprint("width", width))
	}
	b.Size(1200, 900)
	testControls(t, b)
	testAccess(t, b)
	testKeyboard(t, b)
	testContrast(t, b)
	for _, e := range b.Errors {
		t.Errorf("the console says: %s", e)
	}
	for _, r := range b.Requests {
		if !strings.HasPrefix(r, "file://") && r != "about:blank" {
			t.Errorf("the page asked for %s", r)
		}
	}
}

func testControls(t *testing.T, b *chromiumtest.Browser) {
	shown := `[...document.querySelectorAll(".headline")].filter((e) => !e.hidden).map((e) => e.querySelector("caption").textContent.split(",")[0]).join()`
	if got := b.Eval(shown); got != "headline on copy" {
		t.Errorf("at first %v is shown", got)
	}
	b.Eval(`{const s = document.getElementById("task"); s.value = "3"; s.dispatchEvent(new Event("change"))}`)
	if got := b.Eval(shown); got != "headline on parity" {
		t.Errorf("after choosing parity %v is shown", got)
	}
	if hidden := b.Eval(`document.getElementById("chance-note").hidden`); hidden != false {
		t.Error("the guesser's line on parity is not explained")
	}
	lines := `new Set([...document.querySelectorAll("#chart-accuracy svg path[fill=none][stroke-width='2']")].map((p) => p.getAttribute("stroke"))).size`
	before := b.Eval(lines).(float64)
	b.Eval(`document.querySelector(".chip").click()`)
	if after := b.Eval(lines).(float64); after != before-1 {
		t.Errorf("hiding an encoding leaves %v of %v lines", after, before)
	}
	b.Eval(`document.querySelector(".chip").click()`)
	label := b.Eval(`document.getElementById("chart-accuracy").getAttribute("aria-label")`)
	b.Eval(`{const s = document.getElementById("measure"); s.value = "token"; s.dispatchEvent(new Event("change"))}`)
	if now := b.Eval(`document.getElementById("chart-accuracy").getAttribute("aria-label")`); now == label {
		t.Errorf("another measure has the same label %v", now)
	}
}

// testAccess checks what screen readers rely on.
func testAccess(t *testing.T, b *chromiumtest.Browser) {
	for script, what := range map[string]string{
		`[...document.querySelectorAll(".chart")].filter((c) => !c.hidden && (c.getAttribute("role") !== "img" || !c.getAttribute("aria-label"))).map((c) => c.id).join()`:   "charts without a label",
		`[...document.querySelectorAll("table")].filter((t) => !t.caption || !t.querySelector("th[scope=row]") || !t.querySelector("th[scope=col]")).length || ""`:           "tables without a caption or heads",
		`[...document.querySelectorAll("select,button")].filter((e) => !e.labels?.length && !e.textContent.trim() && !e.getAttribute("aria-label")).map((e) => e.id).join()`: "controls without a name",
		`[...document.querySelectorAll("h1,h2,h3")].reduce((bad, h, i, all) => bad || (i && +h.tagName[1] > +all[i - 1].tagName[1] + 1 ? h.textContent : ""), "")`:           "a heading that skips a level",
		`[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i).join()`:                                                       "ids used twice",
		`[...document.querySelectorAll("figure")].filter((f) => !f.querySelector("details") && !f.closest("section").querySelector("details")).length || ""`:                 "figures without a table",
		`document.querySelectorAll("h1").length === 1 && document.documentElement.lang === "en" && document.title !== "" ? "" : "no"`:                                        "one h1, a language and a title are there:",
	} {
		if got := b.Eval(script); got != "" {
			t.Errorf("%s %v", what, got)
		}
	}
}

// testKeyboard opens the table behind the first chart with keys alone.
func testKeyboard(t *testing.T, b *chromiumtest.Browser) {
	b.Eval("document.body.focus(), window.scrollTo(0, 0)")
	for range 60 {
		b.Press("Tab", 9)
		if b.Eval(`document.activeElement.tagName + " " + document.activeElement.textContent`) == "SUMMARY Numbers behind this chart" {
			b.Press("Enter", 13)
			if open := b.Eval(`document.activeElement.parentElement.open && document.activeElement.parentElement.querySelector("table").offsetParent !== null`); open != true {
				t.Error("Enter does not open the table")
			}
			b.Screenshot("table")
			return
		}
	}
	t.Error("Tab never reaches the table behind a chart")
}

// TestBrowserSmall loads pages that have little in them.
func TestBrowserSmall(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1000, 800)
	all := synthetic([]string{"copy"}, 1)
	for name, tc := range map[string]struct {
		rows   []eval.Row
		charts float64
	}{
		// one length: no curves of costs; nothing beyond training: no trade-off, nothing to compare
		"one row":           {all[3:4], 1},
		"nothing available": {[]eval.Row{refused(all[0])}, 1}, // an empty one of accuracy
		"one task":          {all, 7},
		"hostile names":     {hostile(all), 7},
		"speed alone": {[]eval.Row{speedRow(t, "nope", 512, 1), speedRow(t, "nope", 8192, 1),
			speedRow(t, "txl", 512, 2), speedRow(t, "txl", 8192, 2)}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			b.T = t
			b.Load(write(t, tc.rows))
			b.Screenshot(strings.ReplaceAll(name, " ", "-"))
			if n := b.Eval(drawn).(float64); n != tc.charts {
				t.Errorf("%v charts drawn, want %v", n, tc.charts)
			}
			if name == "hostile names" && b.Eval(`[...document.querySelectorAll("#chart-accuracy text")].filter((e) => e.textContent === "`+hostileName("rope")+`").length`) != 1.0 {
				t.Error("a curve is not called as its encoding is")
			}
			if name == "speed alone" && b.Eval(`[...document.querySelectorAll("#chart-token text")].map((e) => e.textContent).filter((t) => ["roofline", "txl", "1,024", "0.5"].includes(t)).length`) != 4.0 {
				t.Error("the chart of the time per new token lacks the roofline, a name or a number of its axes")
			}
			for _, e := range b.Errors {
				t.Errorf("the console says: %s", e)
			}
		})
	}
}

// hostile gives the rows' encodings and machine names that browsers, and templates
// of the chart library, could take for more than text.
func hostile(rows []eval.Row) []eval.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Encoding = hostileName(rows[i].Encoding)
		rows[i].Machine = "</script><script>throw 1</script>\u2028'\"&\x00"
		rows[i].Environment.Model = rows[i].Machine
	}
	for _, r := range rows[:len(rows)/2] { // something to compare with the paper
		r.Encoding = "nope"
		rows = append(rows, r)
	}
	return rows
}

func hostileName(encoding string) string { return encoding + "<img src=x onerror='throw 1'>{a}{b|c}" }

// TestBrowserPrints checks that on paper the page is light, as wide as the paper, and
// itself again afterwards.
func TestBrowserPrints(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1200, 900)
	b.Scheme("dark")
	b.Load(write(t, synthetic([]string{"copy", "parity"}, 1)))
	look := `getComputedStyle(document.body).backgroundColor + " " + Math.max(...[...document.querySelectorAll(".chart svg")].map((s) => s.getBoundingClientRect().width))`
	screen := b.Eval(look)
	b.Eval(`dispatchEvent(new Event("beforeprint"))`)
	if paper := b.Eval(look); paper != "rgb(255, 255, 255) 656" { // 44rem within 1.5rem on both sides
		t.Errorf("on paper %v", paper)
	}
	b.Eval(`dispatchEvent(new Event("afterprint"))`)
	if again := b.Eval(look); again != screen {
		t.Errorf("after printing %v, before %v", again, screen)
	}
}
