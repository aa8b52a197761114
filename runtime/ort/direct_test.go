//go:build cgo && (linux || darwin)

package ort

import (
	"reflect"
	"testing"

	ort "github.com/yalue/onnxruntime_go"
)

// TestKnownBinding: with any binding but one like this, runs go through its
// functions.
func TestKnownBinding(t *testing.T) {
	session, options := reflect.TypeFor[ort.DynamicAdvancedSession](), reflect.TypeFor[ort.RunOptions]()
	type field struct {
		name string
		kind reflect.Type
	}
	with := func(fields ...field) reflect.Type {
		var list []reflect.StructField
		for _, f := range fields {
			list = append(list, reflect.StructField{Name: f.name, Type: f.kind, PkgPath: "x"})
		}
		return reflect.StructOf(list)
	}
	holding := func(inner reflect.Type) reflect.Type { return with(field{"s", reflect.PointerTo(inner)}) }
	inner, _ := session.FieldByName("s")
	ofSession, _ := inner.Type.Elem().FieldByName("ortSession")
	ofOptions, _ := options.FieldByName("o")
	number := reflect.TypeFor[int]()
	for _, tt := range []struct {
		name             string
		session, options reflect.Type
		want             bool
	}{
		{"the binding's", session, options, true},
		{"more fields", holding(with(field{"n", number}, field{"ortSession", ofSession.Type})), options, true},
		{"s renamed", with(field{"session", inner.Type}), options, false},
		{"s is no pointer", with(field{"s", inner.Type.Elem()}), options, false},
		{"s points to no struct", holding(number), options, false},
		{"ortSession renamed", holding(with(field{"session", ofSession.Type})), options, false},
		{"ortSession of another type", holding(with(field{"ortSession", ofOptions.Type})), options, false},
		{"ortSession is a number", holding(with(field{"ortSession", number})), options, false},
		{"o renamed", session, with(field{"p", ofOptions.Type}), false},
		{"o of another type", session, with(field{"o", ofSession.Type}), false},
	} {
		if got := knownBinding(tt.session, tt.options); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
