// Package jinja renders chat templates: the part of Jinja 3.1 that they use, with the settings that
// transformers gives it (trim_blocks, lstrip_blocks, loop controls, the tag generation, tojson without escapes).
//
// It has the statements if, for, set, macro, break, continue and generation, expressions with filters, tests,
// slices and calls, and Python's meaning of values. An unknown statement, filter, test or method is an error
// that names it: Parse finds those of statements, filters and tests, Render those of methods.
//
// A template is untrusted. Limits bound the steps of a rendering, what its values take and its output, and
// nesting is bounded where a template is parsed.
package jinja
