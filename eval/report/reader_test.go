package report_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/chromiumtest"
)

// shownText is the text of all that a selector finds and that is in view.
func shownText(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((e) => e.checkVisibility()).map((e) => e.textContent.trim()).join(" | ")`, selector)
}

// choose takes an option of a menu as a reader does.
func choose(id, value string) string {
	return fmt.Sprintf(`{const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change"))}`,
		id, value)
}

// disagreeing are rows of two tasks where exact match and tokens right call another
// encoding the best.
func disagreeing(t *testing.T) []eval.Row {
	var rows []eval.Row
	for _, r := range []eval.Row{
		tokens(row(t, "nope", 0, 10, 100), 1000), tokens(row(t, "nope", 0, 30, 60), 700),
		tokens(row(t, "rope", 0, 10, 100), 1000), tokens(row(t, "rope", 0, 30, 20), 950),
	} {
		rows = append(rows, r, with(r, func(r *eval.Row) { r.Task = "reverse+full" }))
	}
	return rows
}

// TestBrowserMeasure checks that the measure that a reader chooses rules the lead, the
// headline, the ranks, the trade-off and the heat map.
func TestBrowserMeasure(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1280, 900)
	b.Load(write(t, disagreeing(t)))
	for _, tc := range []struct {
		measure, name                       string
		lead, headline, rank, against, cell string
	}{
		{"exact", "exact match", "nope and rope go furthest, to 10", "60.0", "nope", "80 %", "60.0"},
		{"token", "tokens right", "rope goes furthest, to 30", "70.0", "rope", "100 %", "70.0"},
	} {
		b.Eval(choose("measure", tc.measure))
		b.Settle()
		for what, has := range map[string][3]string{
			"lead":      {shownText(".summary"), tc.lead, tc.name},
			"headline":  {shownText(".headline table"), tc.headline, tc.name},
			"ranks":     {shownText(".ranks"), "", tc.name},
			"first":     {`[...document.querySelectorAll(".ranks")].find((e) => e.checkVisibility()).querySelector("tbody th").textContent`, tc.rank, ""},
			"heat map":  {shownText("#chart-heat text"), tc.cell, ""},
			"headings":  {shownText("h2"), "Accuracy against cost on copy, by " + tc.name, "Ranks, by " + tc.name},
			"points":    {shownText("#chart-tradeoff text"), tc.against, ""}, // the end of the axis above them
			"trade-off": {`document.getElementById("chart-tradeoff").getAttribute("aria-label")`, tc.name, ""},
		} {
			if text := b.Eval(has[0]).(string); !strings.Contains(text, has[1]) || !strings.Contains(text, has[2]) {
				t.Errorf("by %s: the %s lacks %q or %q: %s", tc.name, what, has[1], has[2], text)
			}
		}
		b.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
		if text := b.Eval(shownText("[aria-labelledby=tradeoff] table")).(string); !strings.Contains(text,
			tc.headline) || strings.Count(text, "accuracy against cost") != 1 {
			t.Errorf("by %s the table of the trade-off is %s", tc.name, text)
		}
	}
	for _, e := range b.Errors {
		t.Errorf("the console says: %s", e)
	}
}

// TestBrowserAddress checks that the address keeps the task, measure and place, that
// a link shows the same, and that one to something else says so.
func TestBrowserAddress(t *testing.T) {
	b := chromiumtest.Start(t)
	b.Size(1280, 900)
	rows := disagreeing(t)
	for _, r := range rows[:8:8] {
		rows = append(rows, with(r, func(r *eval.Row) { r.Machine = "other machine & co" }))
	}
	url := write(t, rows)
	b.Load(url)
	what := `["task", "measure", "place"].map((id) => document.getElementById(id).selectedOptions[0].textContent).join(", ") + "; " + ` + shownText(".headline caption")
	const first = "copy, exact match, test machine, 2 cores · cpu; headline on copy, by exact match; costs at length " +
		"10, test machine, 2 cores · cpu"
	const other = "reverse+full, tokens right, other machine & co · cpu; headline on reverse+full, by tokens right; " +
		"costs at length 10, other machine & co · cpu"
	if got := b.Eval(what); got != first {
		t.Errorf("at first: %v", got)
	}
	if hash := b.Eval("location.hash"); hash != "" {
		t.Errorf("the address before anything is chosen ends with %v", hash)
	}
	b.Eval(choose("task", "1") + choose("measure", "token") + choose("place", "1"))
	link := b.Eval("location.href").(string)
	if got := b.Eval(what); got != other {
		t.Errorf("after choosing: %v", got)
	}
	b.Eval(`document.querySelector(".skip").click()`)
	if now := b.Eval("location.href + ' ' + document.activeElement.id"); now != link+" results" {
		t.Errorf("skipping to the results makes of the address %v", now)
	}
	b.Load("about:blank")
	b.Load(link)
	if got := b.Eval(what); got != other {
		t.Errorf("%s shows %v", link, got)
	}
	b.Eval(`location.hash = "task=copy"`) // typed into the same page
	b.Settle()
	if got := b.Eval(what); got != first {
		t.Errorf("the address of the task alone shows %v", got)
	}
	if hidden := b.Eval(`document.getElementById("unknown").hidden`); hidden != true {
		t.Error("a good address is complained about")
	}
	b.Load("about:blank")
	b.Load(url + "#task=nonsense&measure=token")
	const complaint = "The address asks for what this report does not have: no task “nonsense”."
	if got := b.Eval(shownText("#unknown")); got != complaint {
		t.Errorf("of an unknown task the page says %q", got)
	}
	if got := b.Eval(what); !strings.HasPrefix(got.(string), "copy, tokens right,") {
		t.Errorf("an unknown task shows %v", got)
	}
	b.Eval(choose("task", "1"))
	if got := b.Eval(shownText("#unknown")); got != "" {
		t.Errorf("after choosing the page still says %q", got)
	}
	for _, e := range b.Errors {
		t.Errorf("the console says: %s", e)
	}
}

// TestBrowserEqualCurves checks that all curves that lie on one another can be
// seen: in each colour there are a line and markers.
func TestBrowserEqualCurves(t *testing.T) {
	b := chromiumtest.Start(t)
	var rows []eval.Row
	for _, encoding := range encodings {
		for length := 4; length <= 40; length += 4 {
			rows = append(rows, row(t, encoding, 0, length, 100*(1-length/21)))
		}
	}
	url := write(t, rows)
	for _, width := range []int{1280, 390} {
		b.Size(width, 844)
		b.Load(url)
		for i, encoding := range encodings {
			colour := fmt.Sprintf(`getComputedStyle(document.documentElement).getPropertyValue("--e%d")`, i)
			seen := b.Eval(fmt.Sprintf(`(() => {
				const all = [...document.querySelectorAll("#chart-accuracy svg path")].filter((p) => p.getBoundingClientRect().right < document.querySelector("#chart-accuracy").getBoundingClientRect().right - %d);
				return all.filter((p) => p.getAttribute("stroke") === %[2]s && p.getAttribute("stroke-dasharray")).length + " " + all.some((p) => p.getAttribute("fill") === %[2]s);
			})()`, map[int]int{1280: 100, 390: 0}[width], colour))
			if seen != "1 true" && seen != "3 true" { // up to 20, down, and on
				t.Errorf("at width %d of %s dashed lines and markers are seen: %v", width, encoding, seen)
			}
		}
		hidden := b.Eval(`(() => {
			const fills = [...document.querySelectorAll("#legend svg")].map((e) => getComputedStyle(e).color), seen = new Set();
			return [...document.querySelectorAll("#chart-accuracy svg path")].filter((p) => fills.includes(getComputedStyle(p).fill)).filter((p) => {
				const r = p.getBoundingClientRect(), at = [r.x + r.width / 2, r.y + r.height / 2].map((v) => Math.round(v / 4)).join();
				return seen.size === seen.add(at).size;
			}).length;
		})()`)
		if hidden != 0.0 {
			t.Errorf("at width %d %v markers lie on others", width, hidden)
		}
		b.Screenshot(fmt.Sprint("equal", width))
	}
}

// clipped lists the tables in view of which some cell cannot be reached, or of which
// nothing says that it scrolls.
const clipped = `(() => {
	const bad = [];
	for (const table of document.querySelectorAll("table")) {
		if (!table.checkVisibility()) continue;
		const box = table.closest(".scroll"), name = table.caption.textContent.slice(0, 50), hint = box.querySelector(".hint");
		const inside = (e, what) => {
			const r = e.getBoundingClientRect(), around = box.getBoundingClientRect();
			if (r.width === 0 || r.left < Math.max(0, around.left) - 1 || r.right > Math.min(innerWidth, around.right) + 1) bad.push(name + ": " + what + " at " + Math.round(r.left) + " to " + Math.round(r.right) + " of " + innerWidth);
		};
		const scrolls = box.scrollWidth > box.clientWidth + 1;
		box.scrollLeft = 0;
		if (scrolls && (getComputedStyle(box).overflowX !== "auto" || !hint.checkVisibility())) bad.push(name + ": nothing says that it scrolls");
		if (!scrolls && hint.checkVisibility()) bad.push(name + ": it scrolls no further");
		inside(table.caption.firstElementChild, "caption");
		if (scrolls) inside(hint, "hint");
		for (const row of table.rows) {
			for (const cell of row.cells) {
				box.scrollLeft = 0;
				if (scrolls) box.scrollLeft = Math.max(0, cell.offsetLeft + cell.offsetWidth - box.clientWidth);
				inside(cell, "“" + cell.textContent.trim() + "”");
				if (cell.scrollWidth > cell.clientWidth + 1) bad.push(name + ": “" + cell.textContent.trim() + "” is wider than its cell");
			}
		}
		box.scrollLeft = 0;
	}
	return bad.slice(0, 8).join("\n");
})()`

// TestBrowserTables checks that every cell of every table can be reached: on a wide
// screen, on a phone, and on paper, where nothing scrolls.
func TestBrowserTables(t *testing.T) {
	var many []eval.Row
	for i := range 24 {
		r := row(t, "nope", 0, 30, 50)
		r.Encoding = fmt.Sprintf("encoding%02d", i)
		many = append(many, r, with(r, func(r *eval.Row) { r.Length = 10 }))
	}
	b := chromiumtest.Start(t)
	for name, rows := range map[string][]eval.Row{"study": synthetic([]string{"copy", "parity"}, 3), "many": many} {
		url := write(t, rows)
		for _, width := range []int{1280, 390} {
			b.Size(width, 844)
			b.Load(url)
			b.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
			b.Settle()
			if bad := b.Eval(clipped); bad != "" {
				t.Errorf("%s at width %d:\n%v", name, width, bad)
			}
			b.Screenshot(fmt.Sprint("tables-", name, width))
		}
		const paper = 718 // A4 within margins of a centimetre, in pixels
		b.Size(paper, 1000)
		b.Call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
		b.Eval(`dispatchEvent(new Event("beforeprint"))`)
		b.Settle()
		if bad := b.Eval(clipped); bad != "" {
			t.Errorf("%s on paper:\n%v", name, bad)
		}
		if scrolls := b.Eval(`[...document.querySelectorAll(".scroll")].filter((e) => getComputedStyle(e).overflowX !== "visible").length`); scrolls != 0.0 {
			t.Errorf("%s: %v boxes scroll on paper", name, scrolls)
		}
		b.Screenshot("paper-" + name)
		b.Eval(`dispatchEvent(new Event("afterprint"))`)
		b.Call("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)
		printPage(b, "paper-"+name)
	}
}

// printPage keeps the page as a PDF next to the screenshots.
func printPage(b *chromiumtest.Browser, name string) {
	folder := os.Getenv("ZOO_SCREENSHOTS")
	if folder == "" {
		return
	}
	var pdf struct{ Data string }
	b.Call("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69}, &pdf)
	data, err := base64.StdEncoding.DecodeString(pdf.Data)
	if err == nil {
		err = os.WriteFile(folder+"/"+name+".pdf", data, 0o644)
	}
	if err != nil {
		b.T.Error(err)
	}
}
