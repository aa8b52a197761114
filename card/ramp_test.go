package card_test

import (
	"testing"

	"github.com/nopezoo/zoo/card"
)

// What old files call yarn is the paper's ramp; other interventions are as they were.
func TestOldInterventions(t *testing.T) {
	for written, want := range map[string]string{"yarn:4, log-n": "yarn-paper:4, log-n", "ntk:4": "ntk:4", "log-n": "log-n",
		"yarn-paper:4": "yarn-paper:4"} {
		metadata, err := full().Metadata()
		if err != nil {
			t.Fatal(err)
		}
		delete(metadata, "zoo.scaling_ramp")
		metadata["zoo.intervention"] = written
		c, err := card.Parse(metadata)
		if err != nil || c.Intervention != want {
			t.Errorf("%s reads %q, %v; want %q", written, c.Intervention, err, want)
		}
		metadata, err = c.Metadata()
		if again, err2 := card.Parse(metadata); err != nil || err2 != nil || again.Intervention != want {
			t.Errorf("%s: written again it reads %q", written, again.Intervention)
		}
	}
}
