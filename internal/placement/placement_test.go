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

// TestSpread: each device is shown to its processes by the number that is visible here.
func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		at      placement.Placement
		list    placement.Lister
		visible string
		want    []placement.Device
		err     string
	}{
		{at: placement.Placement{Provider: "cuda"}, list: none},
		{at: placement.Placement{Provider: "cuda", Devices: "all"}, list: two, want: []placement.Device{
			{Name: "cuda:0", Environ: []string{"CUDA_VISIBLE_DEVICES=0"}, Free: 1000},
			{Number: 1, Name: "cuda:1", Environ: []string{"CUDA_VISIBLE_DEVICES=1"}, Free: 1001}}},
		{at: placement.Placement{Provider: "cuda", Devices: "1,0"}, list: two, visible: "GPU-7, 3", want: []placement.Device{
			{Number: 1, Name: "cuda:1", Environ: []string{"CUDA_VISIBLE_DEVICES=3"}, Free: 1001},
			{Name: "cuda:0", Environ: []string{"CUDA_VISIBLE_DEVICES=GPU-7"}, Free: 1000}}},
		{at: placement.Placement{Provider: "webgpu", Devices: "all"}, list: two, want: []placement.Device{{Name: "webgpu:0"}}},
		{at: placement.Placement{Provider: "webgpu", Device: "0"}, list: unnamed, want: []placement.Device{{Name: "webgpu:0"}}},
		{at: placement.Placement{Provider: "cuda", Devices: "0,2"}, list: two,
			err: "devices 0,2: provider cuda has no such device here; there are: 0 (A), 1 (B)"},
		{at: placement.Placement{Provider: "cuda", Devices: "1,1"}, list: two, err: "devices 1,1: 1 is there twice; leave one out"},
		{at: placement.Placement{Provider: "cuda", Devices: "some"}, list: two, err: `devices "some": want numbers such as 0,1, or all`},
		{at: placement.Placement{Provider: "cuda", Device: "all"}, list: two, err: `device "all": want a number, 0 or more`},
		{at: placement.Placement{Provider: "cuda", Devices: "all"}, list: unnamed,
			err: "devices all: this system does not say how many there are; list their numbers"},
		{at: placement.Placement{Provider: "cpu", Devices: "all"}, list: two,
			err: "devices all: provider cpu computes on none; leave it out, or choose provider cuda or webgpu"},
	} {
		got, err := tt.at.Spread(placement.Machine{List: tt.list, Visible: tt.visible,
			Free: func(n int) (int64, error) { return 1000 + int64(n), nil }})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || said != tt.err {
			t.Errorf("%+v: error %q, want %q; devices (-want +got):\n%s", tt.at, said, tt.err, diff)
		}
	}
}

func TestOver(t *testing.T) {
	file := placement.Placement{Provider: "cuda", Devices: "all", PerDevice: 4}
	for given, want := range map[placement.Placement]placement.Placement{
		{}:                              file,
		{Device: "1"}:                   {Provider: "cuda", Device: "1"},
		{Devices: "0"}:                  {Provider: "cuda", Devices: "0", PerDevice: 4},
		{PerDevice: 2}:                  {Provider: "cuda", Devices: "all", PerDevice: 2},
		{Provider: "cpu"}:               {Provider: "cpu"},
		{Provider: "cuda", Device: "0"}: {Provider: "cuda", Device: "0"},
	} {
		if got := given.Over(file); got != want {
			t.Errorf("%+v over the file's is %+v, want %+v", given, got, want)
		}
	}
}
