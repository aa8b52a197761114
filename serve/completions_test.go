package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/serve"
)

// whole is what the session answers by itself.
func whole(t *testing.T, s *runtime.Session, prompt string, opt runtime.GenerateOptions) runtime.Completion {
	t.Helper()
	all, err := runtime.Completions(s.Stream(t.Context(), []runtime.Prompt{{Text: prompt}}, opt))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text has a JSON
	}
	return string(data)
}

func TestCompletion(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	want := whole(t, s, "abc ", runtime.GenerateOptions{MaxNew: 12})
	ids, err := s.EncodePrompt(t.Context(), "abc ")
	if err != nil {
		t.Fatal(err)
	}
	got := answer(t, server, `{"model": "tiny", "prompt": "abc ", "max_tokens": 12, "temperature": 0, "user": "somebody", "best_of": null}`)
	c := got.Choices[0]
	if len(got.Choices) != 1 || c.Text != want.Text || *c.Reason != "length" || c.LogProbs != nil {
		t.Errorf("got %+v, want %q", got, want.Text)
	}
	if u := got.Usage; u.Prompt != len(ids) || u.Answer != 12 || u.Total != len(ids)+12 {
		t.Errorf("usage %+v", u)
	}
	if !strings.HasPrefix(got.ID, "cmpl-") || got.Object != "text_completion" || got.Model != "tiny" || !strings.HasPrefix(got.Print, "fp_") {
		t.Errorf("got %+v", got)
	}
	if got := answer(t, server, `{"model": "tiny", "prompt": "abc ", "temperature": 0, "echo": true}`); got.Usage.Answer != 16 ||
		!strings.HasPrefix(got.Choices[0].Text, "abc "+want.Text) {
		t.Errorf("16 tokens and the prompt: %+v", got)
	}
	// Greedy is greedy, however it is said.
	for _, how := range []string{`"top_p": 0`, `"temperature": 0, "top_p": 0.5, "top_k": 3`, `"top_k": 1`, `"min_p": 1`} {
		if got := answer(t, server, `{"model": "tiny", "prompt": "abc ", "max_tokens": 12, `+how+`}`); got.Choices[0].Text != want.Text {
			t.Errorf("%s: %q, want %q", how, got.Choices[0].Text, want.Text)
		}
	}
}

// TestPrompts: however prompts are written, each has its own answer, in order.
func TestPrompts(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	var want, ids []string
	for _, p := range []string{"abc", "b"} {
		want = append(want, whole(t, s, p, runtime.GenerateOptions{MaxNew: 8}).Text)
		list, err := s.Encode(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, strings.ReplaceAll(fmt.Sprint(list), " ", ","))
	}
	for prompt, n := range map[string]int{
		`"abc"`: 1, `["abc"]`: 1, ` [ "abc" , "b" ] `: 2, `["abc", "b"]`: 2, ids[0]: 1, `[` + ids[0] + `,` + ids[1] + `]`: 2,
	} {
		got := answer(t, server, `{"model": "tiny", "max_tokens": 8, "temperature": 0, "prompt": `+prompt+`}`)
		if len(got.Choices) != n {
			t.Fatalf("%s: %d choices", prompt, len(got.Choices))
		}
		for i, c := range got.Choices {
			if c.Index != i || c.Text != want[i] {
				t.Errorf("%s: choice %d is %d: %q, want %q", prompt, i, c.Index, c.Text, want[i])
			}
		}
	}
	got := answer(t, server, `{"model": "tiny", "max_tokens": 8, "temperature": 0, "echo": true, "prompt": `+ids[0]+`}`)
	if got.Choices[0].Text != "abc"+want[0] {
		t.Errorf("ids with echo: %q", got.Choices[0].Text)
	}
}

// TestSeeds: a seed gives the same choices again, which differ from one another, and a prompt has
// the same ones alone and in a list.
func TestSeeds(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	texts := func(prompt, more string) (out []string) {
		for _, c := range answer(t, server, `{"model": "tiny", "temperature": 2, "prompt": `+prompt+more+`}`).Choices {
			out = append(out, c.Text)
		}
		return out
	}
	first := texts(`"ab"`, `, "n": 3, "seed": 5`)
	if first[0] == first[1] || first[1] == first[2] {
		t.Errorf("choices are alike: %q", first)
	}
	if again := texts(`"ab"`, `, "n": 3, "seed": 5`); !slices.Equal(again, first) {
		t.Errorf("%q, and again %q", first, again)
	}
	if one := texts(`"ab"`, `, "seed": 5`); one[0] != first[0] {
		t.Errorf("one of three is %q, alone %q", first[0], one[0])
	}
	if list := texts(`["x", "ab"]`, `, "n": 3, "seed": 5`); !slices.Equal(list[3:], first) {
		t.Errorf("in a list %q, alone %q", list[3:], first)
	}
	if other := texts(`"ab"`, `, "n": 3, "seed": -6`); slices.Equal(other, first) {
		t.Error("another seed changes nothing")
	}
	if a, b := texts(`"ab"`, ``), texts(`"ab"`, ``); slices.Equal(a, b) {
		t.Errorf("without a seed twice %q", a)
	}
}

// TestStops: an answer ends before a text, however that is cut into tokens.
func TestStops(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	full := whole(t, s, "abc", runtime.GenerateOptions{MaxNew: 40}).Text
	runes := []rune(full)
	at := slices.IndexFunc(runes, func(r rune) bool { return r != utf8.RuneError && r >= ' ' })
	if at < 0 {
		t.Fatalf("the answer %q has no character", full)
	}
	stop := string(runes[at : at+3])
	want := full[:strings.Index(full, stop)]
	for _, body := range []string{quote(stop), `[` + quote(stop) + `]`, `["never there", ` + quote(stop) + `]`} {
		c := answer(t, server, `{"model": "tiny", "prompt": "abc", "max_tokens": 40, "temperature": 0, "stop": `+body+`}`).Choices[0]
		if c.Text != want || *c.Reason != "stop" {
			t.Errorf("stop %s: %q, %s; want %q of %q", body, c.Text, *c.Reason, want, full)
		}
		texts, reasons, _, done := streamed(t, server, `{"model": "tiny", "stream": true, "prompt": "abc", "max_tokens": 40, "temperature": 0, "stop": `+body+`}`)
		if texts[0] != want || reasons[0] != "stop" || !done {
			t.Errorf("stop %s as a stream: %q, %s; want %q", body, texts[0], reasons[0], want)
		}
	}
}

func TestLogProbs(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	want := whole(t, s, "abc", runtime.GenerateOptions{MaxNew: 10, LogProbs: true, TopLogProbs: 2})
	c := answer(t, server, `{"model": "tiny", "prompt": "abc", "max_tokens": 10, "temperature": 0, "logprobs": 2}`).Choices[0]
	l := c.LogProbs
	if l == nil || len(l.Tokens) != 10 || len(l.Chosen) != 10 || len(l.Top) != 10 || len(l.Offsets) != 10 {
		t.Fatalf("got %+v", l)
	}
	for i, p := range want.LogProbs {
		if *l.Chosen[i] != p.Chosen || l.Top[i][l.Tokens[i]] != p.Chosen || len(l.Top[i]) != 2 {
			t.Errorf("token %d: %v of %v, want %+v", i, l.Chosen[i], l.Top[i], p)
		}
		id := want.Tokens[i]
		text, err := s.Decode([]int64{id})
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(text) {
			text = fmt.Sprintf(`bytes:\x%02x`, text[0])
		}
		if l.Tokens[i] != text {
			t.Errorf("token %d is written %q, want %q", i, l.Tokens[i], text)
		}
	}
	if !slices.IsSorted(l.Offsets) || l.Offsets[0] != 0 {
		t.Errorf("offsets %v", l.Offsets)
	}
	if none := answer(t, server, `{"model": "tiny", "prompt": "abc", "temperature": 0, "logprobs": 0}`).Choices[0].LogProbs; none == nil || none.Top != nil || len(none.Tokens) != 16 {
		t.Errorf("no others: %+v", none)
	}
	others := 0
	for _, c := range answer(t, server, `{"model": "tiny", "prompt": "abc", "seed": 1, "temperature": 2, "logprobs": 1, "n": 4, "best_of": 4}`).Choices {
		for i, token := range c.LogProbs.Tokens {
			p, told := c.LogProbs.Top[i][token]
			if !told || p != *c.LogProbs.Chosen[i] || len(c.LogProbs.Top[i]) > 2 {
				t.Errorf("token %q with %v is not in %v", token, c.LogProbs.Chosen[i], c.LogProbs.Top[i])
			}
			others += len(c.LogProbs.Top[i]) - 1
		}
	}
	if others == 0 {
		t.Error("no token was another than the most probable one")
	}
	_, _, parts, _ := streamed(t, server, `{"model": "tiny", "stream": true, "prompt": "abc", "max_tokens": 10, "temperature": 0, "logprobs": 2, "stream_options": {"include_obfuscation": false}}`)
	var tokens []string
	var offsets []int
	for _, part := range parts {
		tokens = append(tokens, part.Choices[0].LogProbs.Tokens...)
		offsets = append(offsets, part.Choices[0].LogProbs.Offsets...)
	}
	if !slices.Equal(tokens, l.Tokens) || !slices.Equal(offsets, l.Offsets) {
		t.Errorf("as a stream %q at %v, want %q at %v", tokens, offsets, l.Tokens, l.Offsets)
	}
}

// TestBias: what is ruled out or wanted is so, and a penalty reaches the sampler.
func TestBias(t *testing.T) {
	_, s, server := service(t, serve.Options{}, nil)
	ids, err := s.Encode(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	got := answer(t, server, fmt.Sprintf(`{"model": "tiny", "prompt": "a", "max_tokens": 5, "logit_bias": {"%d": 900}}`, ids[0])).Choices[0].Text
	if got != "xxxxx" {
		t.Errorf("wanted: %q", got)
	}
	got = answer(t, server, fmt.Sprintf(`{"model": "tiny", "prompt": "a", "max_tokens": 5, "logit_bias": {"%d": 50}, "frequency_penalty": 100}`, ids[0])).Choices[0].Text
	if strings.Count(got, "x") > 1 {
		t.Errorf("with a penalty: %q", got)
	}
}

// TestStream: parts of choices come token by token, put together are the whole answer, and the
// last event has the counts.
func TestStream(t *testing.T) {
	_, _, server := service(t, serve.Options{}, nil)
	const body = `"model": "tiny", "prompt": ["abc", "é"], "n": 2, "max_tokens": 20, "temperature": 1.5, "seed": 3, "stop": "q"`
	want := answer(t, server, `{`+body+`}`)
	texts, reasons, parts, done := streamed(t, server, `{`+body+`, "stream": true, "stream_options": {"include_usage": true}}`)
	if !done || len(texts) != 4 {
		t.Fatalf("%d choices, ended well: %v", len(texts), done)
	}
	for i, c := range want.Choices {
		if texts[i] != c.Text || reasons[i] != *c.Reason {
			t.Errorf("choice %d: %q, %s; want %q, %s", i, texts[i], reasons[i], c.Text, *c.Reason)
		}
	}
	last := parts[len(parts)-1]
	if len(last.Choices) != 0 || last.Usage == nil || *last.Usage != *want.Usage {
		t.Errorf("the last event is %+v, want the usage %+v", last, want.Usage)
	}
	for _, p := range parts[:len(parts)-1] {
		if p.ID != last.ID || p.Usage != nil || len(p.Choices) != 1 {
			t.Errorf("an event is %+v", p)
		}
	}
	if len(parts) < 20 {
		t.Errorf("%d events for answers of up to 20 tokens", len(parts))
	}
	texts, _, _, _ = streamed(t, server, `{"model": "tiny", "prompt": "abc", "max_tokens": 4, "temperature": 0, "echo": true, "stream": true}`)
	if !strings.HasPrefix(texts[0], "abc") {
		t.Errorf("with echo: %q", texts[0])
	}
}

// TestRefused: what cannot be answered names the field, and is computed in no part.
func TestRefused(t *testing.T) {
	_, _, server := service(t, serve.Options{Limits: serve.Limits{Body: 2000, Choices: 4, Tokens: 1000}}, nil)
	long := strings.Repeat("a", 190)
	for _, tt := range []struct {
		body   string
		status int
		param  string
		want   string
	}{
		{``, 400, "", "the body is no JSON object: it is empty"},
		{`null`, 400, "", "it is null"},
		{`[1]`, 400, "", "it is a JSON array"},
		{`{"model": "tiny", "prompt": "a"} x`, 400, "", "no JSON object"},
		{`{"model": "tiyn", "prompt": "a"}`, 404, "model", `unknown model "tiyn"; known are tiny`},
		{`{"model": 5, "prompt": "a"}`, 400, "model", "model is 5: want a text"},
		{`{"model": "tiny", "prompt": ["a", "\ud83d"]}`, 400, "prompt", `prompt has \ud83d, half of a surrogate pair`},
		{"{\"model\": \"tiny\", \"prompt\": \"\xff\"}", 400, "prompt", "prompt is not valid UTF-8"},
		{`{"model": "tiny"}`, 400, "prompt", "there is no prompt"},
		{`{"model": "tiny", "prompt": []}`, 400, "prompt", "there is no prompt"},
		{`{"model": "tiny", "prompt": [ ]}`, 400, "prompt", "there is no prompt"},
		{`{"model": "tiny", "prompt": ["a", 3]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [null]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [3, [4]]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [[3], 4]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": ""}`, 400, "prompt", "prompt 0: it is empty"},
		{`{"model": "tiny", "prompt": ["a", " "]}`, 400, "prompt", `prompt 1: runtime: encode: prompt " " is a space alone, which belongs to the first token of the answer`},
		{`{"model": "tiny", "prompt": ["a", []]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [[3], []]}`, 400, "prompt", "prompt 1: it is empty"},
		{`{"model": "tiny", "prompt": ["a", null]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [3, null]}`, 400, "prompt", "want a text, a list of texts"},
		{`{"model": "tiny", "prompt": [3, 100000]}`, 400, "prompt", "prompt 0: "},
		{`{"model": "tiny", "prompt": [3, -1]}`, 400, "prompt", "prompt 0: "},
		{`{"model": "tiny", "prompt": 3}`, 400, "prompt", "prompt is 3: want a text, a list of texts"},
		{`{"model": "tiny", "prompt": "a", "max_tokens": 0}`, 400, "max_tokens", "max_tokens is 0: want 1 or more"},
		{`{"model": "tiny", "prompt": "a", "max_tokens": 1.5}`, 400, "max_tokens", "max_tokens is 1.5: want a whole number"},
		{`{"model": "tiny", "prompt": "a", "max_tokens": 999}`, 400, "max_tokens", "more than the 201 that tiny takes"},
		{`{"model": "tiny", "prompt": "` + long + `", "max_tokens": 12}`, 400, "max_tokens", "has 190 tokens, and its answer may have 12"},
		{`{"model": "tiny", "prompt": "a", "n": 0}`, 400, "n", "n is 0: want 1 or more"},
		{`{"model": "tiny", "prompt": "a", "n": 5}`, 400, "n", "more than the 4 choices"},
		{`{"model": "tiny", "prompt": ["a", "b"], "n": 3}`, 400, "n", "2 prompts with n = 3 are more than the 4"},
		{`{"model": "tiny", "prompt": ["a", "b", "c", "d", "e"]}`, 400, "n", "5 prompts with n = 1"},
		{`{"model": "tiny", "prompt": "a", "temperature": "hot"}`, 400, "temperature", `temperature is "hot": want a number`},
		{`{"model": "tiny", "prompt": "a", "temperature": -1}`, 400, "temperature", "temperature is -1"},
		{`{"model": "tiny", "prompt": "a", "temperature": 2.1}`, 400, "temperature", "temperature is 2.1: want 0 to 2"},
		{`{"model": "tiny", "prompt": "a", "temperature": 1e999}`, 400, "temperature", "temperature is 1e999: want a number"},
		{`{"model": "tiny", "prompt": "a", "temperature": NaN}`, 400, "", "no JSON object"},
		{`{"model": "tiny", "prompt": "a", "top_p": -0.1}`, 400, "top_p", "top-p is -0.1"},
		{`{"model": "tiny", "prompt": "a", "min_p": -0.1}`, 400, "min_p", "min-p is -0.1"},
		{`{"model": "tiny", "prompt": "a", "n": -1}`, 400, "n", "n is -1: want 1 or more"},
		{`{"model": "tiny", "prompt": "a", "n": 1000000000000}`, 400, "n", "more than the 4 choices"},
		{`{"model": "tiny", "prompt": "a", "seed": 1.5}`, 400, "seed", "seed is 1.5: want a whole number"},
		{`{"model": "tiny", "prompt": "a", "seed": 18446744073709551616}`, 400, "seed", "want a whole number"},
		{`{"model": "tiny", "prompt": "a", "presence_penalty": -1000}`, 400, "presence_penalty", "presence penalty is -1000"},
		{`{"model": "tiny", "prompt": "a", "frequency_penalty": -1000}`, 400, "frequency_penalty", "frequency penalty is -1000"},
		{`{"model": "tiny", "prompt": "a", "repetition_penalty": 0}`, 400, "repetition_penalty", "repetition_penalty is 0: want more, of which 1 is none"},
		{`{"model": "tiny", "prompt": "a", "top_p": 1.5}`, 400, "top_p", "top-p is 1.5"},
		{`{"model": "tiny", "prompt": "a", "top_k": -1}`, 400, "top_k", "top-k is -1"},
		{`{"model": "tiny", "prompt": "a", "min_p": 2}`, 400, "min_p", "min-p is 2"},
		{`{"model": "tiny", "prompt": "a", "repetition_penalty": -1}`, 400, "repetition_penalty", "repetition penalty is -1"},
		{`{"model": "tiny", "prompt": "a", "presence_penalty": 1000}`, 400, "presence_penalty", "presence penalty is 1000"},
		{`{"model": "tiny", "prompt": "a", "frequency_penalty": 1000}`, 400, "frequency_penalty", "frequency penalty is 1000"},
		{`{"model": "tiny", "prompt": "a", "logit_bias": {"5": 5000}}`, 400, "logit_bias", "token id 5 is 5000"},
		{`{"model": "tiny", "prompt": "a", "logit_bias": {"5": 1, "05": 2}}`, 400, "logit_bias", "want an object of token ids"},
		{`{"model": "tiny", "prompt": "a", "logit_bias": {"x": 5}}`, 400, "logit_bias", "want an object of token ids"},
		{`{"model": "tiny", "prompt": "a", "logit_bias": {"999": 5}}`, 400, "logit_bias", "ids 0 to 257"},
		{`{"model": "tiny", "prompt": "a", "logprobs": 21}`, 400, "logprobs", "logprobs is 21: want 0 to 20"},
		{`{"model": "tiny", "prompt": "a", "logprobs": true}`, 400, "logprobs", "want a whole number"},
		{`{"model": "tiny", "prompt": "a", "max_tokens": 0}`, 400, "max_tokens", "max_tokens is 0: want 1 or more, or 0 with echo"},
		{`{"model": "tiny", "prompt": "a", "min_tokens": 2}`, 400, "min_tokens", "min_tokens is 2: only 0 is supported"},
		{`{"model": "tiny", "prompt": "a", "best_of": 3}`, 400, "best_of", "best_of is 3: only n, which is 1, is supported"},
		{`{"model": "tiny", "prompt": "a", "best_of": 1, "n": 2}`, 400, "best_of", "best_of is 1: "},
		{`{"model": "tiny", "prompt": "a", "suffix": "z"}`, 400, "suffix", "suffix is not supported"},
		{`{"model": "tiny", "prompt": "a", "seed": "5"}`, 400, "seed", "want a whole number"},
		{`{"model": "tiny", "prompt": "a", "stream_options": {"include_usage": true}}`, 400, "stream_options", "are for streams"},
		{`{"model": "tiny", "prompt": "a", "stream": true, "stream_options": {"usage": true}}`, 400, "stream_options", "include_usage"},
		{`{"model": "tiny", "prompt": "a", "stop": [1]}`, 400, "stop", "stop is [1]: want a text, or a list of texts"},
		{`{"model": "tiny", "prompt": "a", "stream": true, "stream_options": {"include_obfuscation": true}}`, 400, "stream_options", "not supported"},
		{`{"model": "tiny", "prompt": "a", "stop": ""}`, 400, "stop", "stop string 0 is empty"},
		{`{"model": "tiny", "prompt": "a", "stop": ["x", null]}`, 400, "stop", "stop string 1 is empty"},
		{`{"model": "tiny", "prompt": "a", "` + strings.Repeat("k", 1000) + `": 1}`, 400, strings.Repeat("k", 40) + "… (1000 bytes)", "unknown field"},
		{`{"model": "tiny", "prompt": "a", "tools": []}`, 400, "tools", `unknown field "tools"; known are add_special_tokens, best_of, echo`},
		{`{"model": "tiny", "prompt": "` + strings.Repeat("a", 2000) + `"}`, 413, "", "larger than 2000 bytes"},
	} {
		for _, stream := range []string{"", `"stream": true, `} {
			body := tt.body
			if strings.HasPrefix(body, "{") && !strings.Contains(body, "stream") {
				body = "{" + stream + body[1:]
			}
			r, c := ask(t, server, body)
			e := c.Error
			if r.StatusCode != tt.status || e == nil || e.Param != tt.param || !strings.Contains(e.Message, tt.want) || e.Type != "invalid_request_error" {
				t.Errorf("%.100s: status %d, %+v; want %d, param %q, %q", body, r.StatusCode, e, tt.status, tt.param, tt.want)
			}
			if kind := r.Header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("%.100s: an error is %s", body, kind)
			}
		}
	}
	if got := answer(t, server, `{"model": "tiny", "prompt": "`+long+`"}`); got.Usage.Answer > 11 || got.Usage.Answer == 0 {
		t.Errorf("what is usual is more than there is room for: %+v", got.Usage)
	}
	if r, _ := ask(t, server, `{"model": "tiny", "prompt": "a", "n": null, "stop": null, "logprobs": null, "max_tokens": null, "best_of": 1}`); r.StatusCode != http.StatusOK {
		t.Errorf("fields that are null: status %d", r.StatusCode)
	}
}
