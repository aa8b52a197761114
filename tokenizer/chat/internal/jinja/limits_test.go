package jinja

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestLimits: templates that take much end with ErrLimit, however they take it.
func TestLimits(t *testing.T) {
	for name, source := range map[string]string{
		"output":      strings.Repeat("{{ 'a' * 60000 }}", 3),
		"range":       "{% for i in range(1000000000000) %}{% endfor %}",
		"loops":       "{% for i in range(2000) %}{% for j in range(2000) %}{% endfor %}{% endfor %}",
		"product":     "{% set a = 'ab' * 1000000000000 %}",
		"doubling":    "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
		"lists":       "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
		"shared":      "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
		"equality":    "{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}",
		"json":        "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | tojson }}",
		"depth":       "{% set ns = namespace(s=[1]) %}{% for i in range(1000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
		"recursion":   "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
		"replace":     "{% set a = ('a' * 1000).replace('a', 'b' * 100000) %}",
		"indent":      "{% set a = ('a\n' * 1000) | indent(100000) %}",
		"wide indent": "{% set a = 'a' | indent(10000000000000) %}",
		"join":        "{% set a = range(1000) | list | join('b' * 100000) %}",
		"width":       "{% for i in range(2000) %}{% set a = '%999d' | format(1) %}{% endfor %}",
	} {
		t.Run(name, func(t *testing.T) {
			template, err := Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := template.Render(context.Background(), nil, plenty); !errors.Is(err, ErrLimit) {
				t.Errorf("%d bytes, error %v, want %v", len(got), err, ErrLimit)
			}
		})
	}
}

// TestNesting: depth is bounded where a template is parsed.
func TestNesting(t *testing.T) {
	for _, source := range []string{
		"{{ " + strings.Repeat("(", 100000) + " }}", "{{ " + strings.Repeat("not ", 100000) + "a }}", "{{ " + strings.Repeat("-", 100000) + "1 }}",
		"{{ " + strings.Repeat("[", 100000) + " }}", strings.Repeat("{% if a %}", 100000), "{% if a %}" + strings.Repeat("{% elif a %}", 50000),
		"{{ a" + strings.Repeat(" if b else a", 50000) + " }}", "{{ " + strings.Repeat("{1:", 100000) + " }}", "{{ a" + strings.Repeat("[a", 100000) + " }}",
	} {
		if _, err := Parse(source); err == nil {
			t.Errorf("%.20s… is read", source)
		}
	}
}

// TestCanceled: a rendering heeds its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	template, err := Parse("{% for i in range(100000) %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(ctx, nil, plenty); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// FuzzRender: no template panics, takes more than its limits or writes what is no text.
func FuzzRender(f *testing.F) {
	for _, source := range []string{
		"{% for m in messages %}{{ m.role ~ m['content'] | trim }}{% endfor %}", "{{ messages | map(attribute='a.b') | join(',') }}",
		"{% macro a(b=1) %}{{ b }}{% endmacro %}{{ a(2) }}", "{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 %}{{ messages[::-1][0:2] | tojson(indent=2) }}",
		"{{ '%5.1f' | format(2) }}{{ 2 ** 70 }}{{ -7 // 2 }}{{ 'a' * 9 }}",
	} {
		f.Add(source)
	}
	messages, err := FromJSON([]byte(`[{"role": "user", "content": "a"}, {"role": "assistant", "content": [1, 2.5, null, true]}]`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		template, err := Parse(source)
		if err != nil {
			return
		}
		limits := Limits{Steps: 1 << 16, Output: 1 << 12}
		got, err := template.Render(context.Background(), map[string]any{"messages": messages, "bos_token": "<s>"}, limits)
		if err == nil && len(got) > limits.Output {
			t.Errorf("%d bytes of output", len(got))
		}
	})
}
