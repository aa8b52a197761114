package hf

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/models"
)

// TestEveryFieldIsMapped fails when a configuration gets a field without a key:
// it fills all fields in and wants them back.
func TestEveryFieldIsMapped(t *testing.T) {
	var want models.Config
	v := reflect.ValueOf(&want).Elem()
	for i := range v.NumField() {
		switch name, f := v.Type().Field(i).Name, v.Field(i); {
		case name == "Architecture":
			f.SetString("decoder")
		case name == "Encoding":
			f.SetString("rope")
		case name == "Activation":
			f.SetString("gelu")
		case name == "EncodingParams":
			f.SetBytes(json.RawMessage(`{"a":1}`))
		case f.Kind() == reflect.String:
			f.SetString(name)
		case f.CanInt():
			f.SetInt(int64(i + 1))
		case f.CanFloat():
			f.SetFloat(float64(i) / 16)
		case f.Type() == reflect.TypeFor[[]int]():
			f.Set(reflect.ValueOf([]int{i, i + 1}))
		case f.Type() == reflect.TypeFor[[]float64]():
			f.Set(reflect.ValueOf([]float64{float64(i), 0.5}))
		default:
			t.Fatalf("%s is of a kind that this test does not know: teach it", name)
		}
	}
	d := document{}
	if err := d.putConfig(want); err != nil {
		t.Fatal(err)
	}
	got, err := d.config()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config.json has no key for (-want +got):\n%s", diff)
	}
}
