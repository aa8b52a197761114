package jinja

// tests are those of value is NAME.
var tests map[string]function

func init() {
	kinds := map[string]func(v any) bool{
		"defined":   func(v any) bool { _, is := v.(undefined); return !is },
		"undefined": func(v any) bool { _, is := v.(undefined); return is },
		"none":      func(v any) bool { return v == nil },
		"string":    func(v any) bool { _, is := v.(string); return is },
		"mapping":   func(v any) bool { _, is := v.(*Object); return is },
		"boolean":   func(v any) bool { _, is := v.(bool); return is },
		"true":      func(v any) bool { is, _ := v.(bool); return is },
		"false":     func(v any) bool { b, is := v.(bool); return is && !b },
		"integer":   func(v any) bool { _, is := v.(int64); return is },
		"float":     func(v any) bool { _, is := v.(float64); return is },
		"number":    func(v any) bool { _, is := number(v); return is },
		"callable":  func(v any) bool { _, is := v.(function); return is },
		"iterable":  iterable,
		"sequence":  iterable,
	}
	tests = map[string]function{}
	for name, holds := range kinds {
		tests[name] = func(_ *run, line int, args []any, named map[string]any) any {
			return holds(parameters(name, line, 1, args, named, "value")[0])
		}
	}
	for name, sign := range map[string]string{
		"equalto": "==", "eq": "==", "==": "==", "ne": "!=", "!=": "!=", "in": "in",
		"lt": "<", "lessthan": "<", "<": "<", "le": "<=", "<=": "<=", "gt": ">", "greaterthan": ">", ">": ">", "ge": ">=", ">=": ">=",
	} {
		tests[name] = taking(name, 2, "value other", func(r *run, line int, values []any) any {
			return r.compare(sign, values[0], values[1], line)
		})
	}
	for name, rest := range map[string]int64{"even": 0, "odd": 1} {
		tests[name] = func(_ *run, line int, args []any, named map[string]any) any {
			return integers("%", asWhole(name, line, parameters(name, line, 1, args, named, "value")[0]), 2, line) == rest
		}
	}
	tests["divisibleby"] = taking("divisibleby", 2, "value num", func(r *run, line int, values []any) any {
		return integers("%", asWhole("divisibleby", line, values[0]), asWhole("divisibleby", line, values[1]), line) == int64(0)
	})
}

func iterable(v any) bool {
	switch v.(type) {
	case string, *Object, undefined:
		return true
	}
	_, is := sequence(v)
	return is
}
