package graph

import (
	"strings"
	"testing"
)

// TestAttributes: of every operator each attribute takes a value of its type, a flag 0 and 1 alone, and one that has
// no default cannot be left out.
func TestAttributes(t *testing.T) {
	of := map[string]any{"int64": int64(1), "[]int64": []int64{0}, "float32": float32(1), "string": "x"}
	seen := map[attribute]bool{}
	for op, row := range table {
		all := map[string]any{}
		for name, a := range row.attrs {
			seen[a] = true
			if all[name] = of[a.kind]; all[name] == nil {
				t.Errorf("%s: attribute %s is of the unknown type %s", op, name, a.kind)
			}
		}
		check := func(change func(values map[string]any)) string {
			values, n := map[string]any{}, &Node{Op: op}
			for name, v := range all {
				values[name] = v
			}
			change(values)
			for name, v := range values {
				n.Attrs = append(n.Attrs, Attr{name, v})
			}
			if err := n.checkAttributes(row.attrs); err != nil {
				return err.Error()
			}
			return ""
		}
		if got := check(func(map[string]any) {}); got != "" {
			t.Errorf("%s: %s", op, got)
		}
		if got := check(func(v map[string]any) { v["other"] = int64(1) }); !strings.Contains(got, "unknown attribute other") {
			t.Errorf("%s: of another attribute it says %q", op, got)
		}
		for name, a := range row.attrs {
			got := check(func(v map[string]any) { delete(v, name) })
			if a.required != strings.Contains(got, "lacks the attribute "+name) || !a.required && got != "" {
				t.Errorf("%s: without %s it says %q", op, name, got)
			}
			for kind, v := range of {
				got := check(func(values map[string]any) { values[name] = v })
				if other := kind != a.kind; other != strings.Contains(got, "of type "+kind+", want "+a.kind) || !other && got != "" {
					t.Errorf("%s: of %s of type %s it says %q", op, name, kind, got)
				}
			}
			if a.kind != "int64" {
				continue
			}
			for _, v := range []int64{-1, 0, 1, 2, 7, 1 << 40} {
				got := check(func(values map[string]any) { values[name] = v })
				if bad := a.flag && v != 0 && v != 1; bad != strings.Contains(got, "want 0 or 1") || !bad && got != "" {
					t.Errorf("%s: of %s %d it says %q", op, name, v, got)
				}
			}
		}
	}
	for _, a := range []attribute{integer, integers, flag, number, word, integer.needed()} {
		if !seen[a] {
			t.Errorf("no operator has an attribute like %+v", a)
		}
	}
}
