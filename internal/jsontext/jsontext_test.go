package jsontext

import (
	"strings"
	"testing"
)

func TestLoneSurrogate(t *testing.T) {
	for text, want := range map[string]string{
		``: "", `"a"`: "", `"\n\t\\\"\/"`: "", `"\u00e9\uD7FF\ue000"`: "",
		`"\ud83d\ude00"`: "", `"\uD83D\uDE00\ud83d\ude00"`: "",
		`"\ud83d"`: `\ud83d`, `"\uDE00"`: `\uDE00`, `"a\ude00\ud83d"`: `\ude00`,
		`"\ud83d\ud83d\ude00"`: `\ud83d`, `"\ud83d\u0041"`: `\ud83d`, `"\ud83d\\ude00"`: `\ud83d`, `"\ud83d ude00"`: `\ud83d`,
		`"\ud83d\ude00\udbff"`: `\udbff`, `"\ud800x"`: `\ud800`, `"\udfff"`: `\udfff`,
		`"\\ud83d"`: "", `"\\\ud83d"`: `\ud83d`, `"\\\\ud83d"`: "",
		// What is no JSON is for its reader to refuse.
		`\`: "", `"\u`: "", `"\ud83`: "", `"\u+d83"`: "",
	} {
		if got := loneSurrogate([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{`"é\ud83d\ude00"`: "", "\"\xff\"": "is not valid UTF-8", `"\ude00"`: `has \ude00, half of a surrogate pair`} {
		if err := Check([]byte(text)); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
