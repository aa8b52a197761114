package serve_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
)

// TestEcho: prompts are scored as Session.Score does, alone and in front of a completion.
func TestEcho(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	const prompt = "abé cab"
	ids, err := s.Encode(t.Context(), prompt)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Score(t.Context(), [][]int64{ids}, []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made := whole(t, s, prompt, runtime.GenerateOptions{MaxNew: 1, Sampling: runtime.Sampling{}, LogProbs: true})
	for body, n := range map[string]int{
		`"prompt": ` + quote(prompt) + `, "max_tokens": 0`:                  0,
		`"prompt": ` + quote(prompt) + `, "max_tokens": 1`:                  1,
		`"prompt": [` + quote("b") + `, ` + quote(prompt) + `], "n": 2`:     16,
		`"prompt": ` + quote(prompt) + `, "max_tokens": 1, "stream": false`: 1,
	} {
		got := answer(t, server, `{"model": "tiny", "temperature": 0, "echo": true, "logprobs": 2, `+body+`}`)
		c := got.Choices[len(got.Choices)-1]
		l := c.LogProbs
		if l == nil || len(l.Tokens) != len(ids)+n || len(l.Chosen) != len(l.Tokens) || len(l.Top) != len(l.Tokens) || len(l.Offsets) != len(l.Tokens) {
			t.Fatalf("%s: %+v, want %d tokens", body, l, len(ids)+n)
		}
		if *c.Reason != "length" || !strings.HasPrefix(c.Text, prompt) || n == 0 && c.Text != prompt {
			t.Errorf("%s: text %q, %s", body, c.Text, *c.Reason)
		}
		if l.Chosen[0] != nil || l.Top[0] != nil || l.Offsets[0] != 0 {
			t.Errorf("%s: the first token has %v and %v at %d, want null, null and 0", body, l.Chosen[0], l.Top[0], l.Offsets[0])
		}
		for i, p := range want[0] {
			if l.Chosen[i+1] == nil || math.Abs(*l.Chosen[i+1]-p) > 1e-4 {
				t.Errorf("%s: token %d has %v, want %v", body, i+1, l.Chosen[i+1], p)
			}
			if best := l.Top[i+1]; len(best) < 2 || len(best) > 3 {
				t.Errorf("%s: token %d has %d at the top", body, i+1, len(best))
			}
		}
		if n > 0 && math.Abs(*l.Chosen[len(ids)]-made.LogProbs[0].Chosen) > 1e-4 {
			t.Errorf("%s: the first new token has %v, want %v", body, *l.Chosen[len(ids)], made.LogProbs[0].Chosen)
		}
		// Each token begins where its text is; é has two.
		for i, offset := range []int{0, 1, 2, 2, 3, 4, 5, 6} {
			if l.Offsets[i] != offset {
				t.Errorf("%s: offsets %v", body, l.Offsets)
				break
			}
		}
	}
	texts, _, _, _ := streamed(t, server, `{"model": "tiny", "prompt": "ab", "max_tokens": 0, "echo": true, "logprobs": 0, "stream": true}`)
	if texts[0] != "ab" {
		t.Errorf("as a stream: %q", texts[0])
	}
	if got := answer(t, server, `{"model": "tiny", "prompt": "ab", "max_tokens": 0, "echo": true}`); got.Choices[0].Text != "ab" || got.Usage.Answer != 0 {
		t.Errorf("without log-probabilities: %+v", got)
	}
}
