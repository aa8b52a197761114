package card

import "testing"

func TestWholePrompts(t *testing.T) {
	for params, want := range map[string]bool{
		"": false, "{}": false, `{"scaling": "yarn"}`: false, `{"scaling": "dynamic", "scaling_factor": 2}`: true, `{"rope.local": {"scaling": "longrope"}}`: true,
	} {
		if got := (Card{EncodingParams: []byte(params)}).WholePrompts(); got != want {
			t.Errorf("%s: %v, want %v", params, got, want)
		}
	}
}
