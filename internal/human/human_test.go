package human_test

import (
	"testing"
	"time"

	"github.com/nopezoo/zoo/internal/human"
)

func TestTexts(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{human.Bytes(-1), "0 B"}, {human.Bytes(5), "5 B"}, {human.Bytes(1 << 10), "1.00 KiB"},
		{human.Bytes(98 << 20), "98.0 MiB"}, {human.Bytes(112_000_000), "107 MiB"}, {human.Bytes(13e9), "12.1 GiB"},
		{human.Count(0), "0"}, {human.Count(0.25), "0.25"}, {human.Count(999), "999"}, {human.Count(999.9), "1k"},
		{human.Count(1000), "1k"}, {human.Count(18234), "18.2k"}, {human.Count(999_900), "1M"},
		{human.Count(3_210_000), "3.21M"},
		{human.Count(5e9), "5G"},
		{human.Duration(1540 * time.Millisecond), "1.5s"}, {human.Duration(10600 * time.Millisecond), "11s"},
		{human.Rough(0), "1 s"}, {human.Rough(59400 * time.Millisecond), "59 s"}, {human.Rough(90 * time.Second), "2 min"},
		{human.Rough(59*time.Minute + 31*time.Second), "1 h 00 min"}, {human.Rough(700 * time.Minute), "11 h 40 min"},
		{human.Duration(time.Hour + 2*time.Minute + 3*time.Second), "1h2m3s"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	got := human.Table([][]string{{"a", "long", ""}, {"longer", "b", "c"}})
	if want := "a       long\nlonger  b     c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFold: a cell of the last column goes on below itself if that column is wide enough for its words, else below its line.
func TestFold(t *testing.T) {
	lines := [][]string{{"task", "example"}, {"copy", "a⏵b c d e f g h i"}, {"hash", "0123456789abcdef"}, {"", "b c d e f g h i j"}, {"short"}}
	for width, want := range map[int]string{
		30: "task  example\ncopy  a⏵b c d e f g h i\nhash  0123456789abcdef\n      b c d e f g h i j\nshort\n",
		18: "task  example\ncopy  a⏵b c d e f\n      g h i\nhash\n  0123456789abcdef\n      b c d e f g\n      h i j\nshort\n",
		17: "task  example\ncopy\n  a⏵b c d e f g h\n  i\nhash\n  0123456789abcdef\n  b c d e f g h i\n  j\nshort\n",
	} {
		if got := human.Table(human.Fold(lines, width)); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}

// TestFoldNarrow: what has no room stands below, be it the last cell or several.
func TestFoldNarrow(t *testing.T) {
	lines := [][]string{{"copy-nope-s1", "measured", "20/52", "fitted at 16", ""}, {"copy-rope-s1", "waiting", "0/52", "", "loss 1"}}
	want := "copy-nope-s1  measured  20/52\n  fitted at 16\ncopy-rope-s1  waiting   0/52\n  loss 1\n"
	if got := human.Table(human.Fold(lines, 30)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFoldShortLine: the last cell of a line with fewer cells is wrapped, too.
func TestFoldShortLine(t *testing.T) {
	lines := [][]string{{"a", "finished", "3/3", "loss 1"}, {"b", "failed", "no corpus is there"}}
	want := "a  finished  3/3  loss 1\nb  failed    no corpus is\n             there\n"
	if got := human.Table(human.Fold(lines, 26)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWrap: lines break between words, and not within a quantity.
func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"to 200 at ≥ 90 % exact match", 12, "to 200 at\n≥ 90 % exact\nmatch\n"},
		{"it took 12 min, or 3.5 MiB (at 107 kB)", 11, "it took\n12 min, or\n3.5 MiB (at\n107 kB)\n"},
		{"and kerple †, too; † no run", 11, "and\nkerple †,\ntoo; † no\nrun\n"},
		{"the year 2026 is over", 13, "the year 2026\nis over\n"},
		{"a longword b", 4, "a\nlongword\nb\n"},
		{" ", 4, "\n"},
	} {
		if got := human.Wrap(test.text, test.width); got != test.want {
			t.Errorf("%q in %d columns: %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
