package configs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/configs"
)

func TestNames(t *testing.T) {
	for _, tc := range []struct {
		names []string
		want  string
		read  func(string) ([]byte, error)
	}{
		{configs.Names(), "tiny", configs.Read},
		{configs.Sweeps(), "paper", configs.ReadSweep},
	} {
		if !slices.Contains(tc.names, tc.want) {
			t.Errorf("%v lacks %s", tc.names, tc.want)
		}
		for _, name := range tc.names {
			if data, err := tc.read(name); err != nil || len(data) == 0 {
				t.Errorf("%s: %d bytes, %v", name, len(data), err)
			}
		}
		for _, name := range []string{"nothing", "", "../configs/tiny", "sweeps/paper"} {
			if _, err := tc.read(name); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q: error %v, want one that lists the known names", name, err)
			}
		}
	}
}
