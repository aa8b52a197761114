package report_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/internal/chromiumtest"
)

// leastContrast is what WCAG 2.1 asks of letters of any size, level AA.
const leastContrast = 4.5

// TestContrast checks all that the style sheet writes with, on all that it writes on.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("page/page.css")
	if err != nil {
		t.Fatal(err)
	}
	themes := regexp.MustCompile(`(?s)color-scheme: (light|dark);(.*?)}`).FindAllStringSubmatch(string(css), -1)
	if len(themes) < 3 { // light, dark by choice, dark by the system
		t.Fatalf("%d themes", len(themes))
	}
	for _, theme := range themes[:3] {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(theme[2], -1) {
			colours[m[1]] = m[2]
		}
		for on, letters := range map[string][]string{"paper": {"ink", "soft", "accent"}, "panel": {"ink", "soft"},
			"shade": {"soft"}, "warn": {"ink"}} {
			for _, of := range letters {
				if c := contrast(parseRGB(t, colours[of]), parseRGB(t, colours[on])); c < leastContrast {
					t.Errorf("%s: %s on %s has a contrast of %.2f", theme[1], of, on, c)
				}
			}
		}
	}
}

// TestFigureContrast checks every text of every figure: in the heat map on its cell,
// elsewhere on white.
func TestFigureContrast(t *testing.T) {
	var rows []string
	for _, f := range reportOf(t, synthetic([]string{"copy", "addition", "parity", "scan"}, 1)...).Figures() {
		svg := string(figure(t, f, "svg"))
		on := "#FFFFFF"
		for _, m := range regexp.MustCompile(`<(path|text)[^>]*?style="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
			fill := regexp.MustCompile(`(?:^|;)fill:(#[0-9A-Fa-f]{6})`).FindStringSubmatch(m[2])
			colour := "#000000" // if none is said
			if fill != nil {
				colour = fill[1]
			}
			switch {
			case m[1] == "path" && f.Name == "heatmap" && fill != nil:
				on = colour
			case m[1] == "text":
				if c := contrast(parseRGB(t, colour), parseRGB(t, on)); c < leastContrast {
					t.Errorf("%s: a text in %s on %s has a contrast of %.2f", f.Name, colour, on, c)
				}
				rows = append(rows, on)
				on = "#FFFFFF"
			}
		}
	}
	slices.Sort(rows)
	if n := len(slices.Compact(rows)); n < 10 {
		t.Errorf("texts on %d colours", n)
	}
}

// contrasts lists the texts of the page that have too little contrast with what they
// stand on: a cell of the heat map, or the nearest background.
const contrasts = `(() => {
	const rgb = (c) => c.match(/[\d.]+/g).map(Number);
	const luminance = (c) => rgb(c).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const ground = (e) => {
		const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
		if (e.closest("#chart-heat")) {
			const cells = [...e.closest("svg").querySelectorAll("path")].filter((p) => { const b = p.getBoundingClientRect(); return b.left < x && x < b.right && b.top < y && y < b.bottom; })
				.map((p) => getComputedStyle(p).fill).filter((f) => f.startsWith("rgb"));
			if (cells.length) return cells.pop();
		}
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (rgb(c)[3] !== 0) return c;
		}
		return "rgb(255, 255, 255)";
	};
	const bad = [];
	let seen = 0;
	for (const e of document.querySelectorAll("body *")) {
		if (e.tagName === "OPTION" || !e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(e.tagName)) continue;
		const style = getComputedStyle(e), a = luminance(e.closest("svg") ? style.fill : style.color), b = luminance(ground(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		seen++;
		if (contrast < 4.5) bad.push(e.textContent.trim().slice(0, 40) + " " + contrast.toFixed(2));
	}
	return seen < 200 ? "only " + seen + " texts" : bad.join("\n");
})()`

// testContrast checks every text that stands on the page, in both themes, with all
// tables open, an encoding switched off and a complaint about the address.
func testContrast(t *testing.T, b *chromiumtest.Browser) {
	b.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
	b.Eval(`document.querySelector(".chip").click()`)
	b.Eval(`document.getElementById("unknown").hidden = false`)
	for _, theme := range []string{"light", "dark"} {
		b.Eval(fmt.Sprintf(`if (document.documentElement.dataset.theme !== %q) document.getElementById("theme").click()`, theme))
		b.Settle()
		if bad := b.Eval(contrasts); bad != "" {
			t.Errorf("%s: texts with too little contrast:\n%s", theme, strings.TrimSpace(bad.(string)))
		}
	}
}
