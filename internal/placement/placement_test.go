package placement_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/placement"
)

// two fakes two devices.
func two(string) ([]string, error) { return []string{"A", "B"}, nil }

func none(string) ([]string, error) { return nil, errors.New("no driver") }

func unnamed(string) ([]string, error) { return nil, ort.ErrNoNames }

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		provider, device string
		list             placement.Lister
		want, err        string
	}{
		{"cuda", "", none, "", ""}, // the session says what is wrong
		{"cuda", "1", two, "1", ""},
		{"cuda", "2", two, "", "device 2: provider cuda has no such device here; there are: 0 (A), 1 (B)"},
		{"cuda", "0", none, "", "device 0: no driver"},
		{"cuda", "7", unnamed, "7", ""},
		{"webgpu", "0", two, "", ""},
		{"webgpu", "1", two, "", "device 1: provider webgpu has no such device here; there are: 0 (A)"},
		{"webgpu", "1", unnamed, "", "device 1: provider webgpu has no such device here; there are: 0 (its own choice)"},
		{"cpu", "0", two, "", "device 0: provider cpu computes on none; leave it out, or choose provider cuda or webgpu"},
		{"cuda", "-1", two, "", `device "-1": want a number, 0 or more`},
	} {
		got, err := placement.Placement{Provider: tt.provider, Device: tt.device}.Options(tt.list)
		said := ""
		if err != nil {
			said = fmt.Sprint(err)
		}
		if got["device_id"] != tt.want || said != tt.err {
			t.Errorf("%s %s: %v, error %q; want %q, error %q", tt.provider, tt.device, got, said, tt.want, tt.err)
		}
	}
}

func TestOver(t *testing.T) {
	got := placement.Placement{Device: "1"}.Over(placement.Placement{Provider: "cuda", Device: "0"})
	if diff := cmp.Diff(placement.Placement{Provider: "cuda", Device: "1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
