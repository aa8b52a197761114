package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/configs"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/internal/placement"
	"github.com/nopezoo/zoo/train/journal"
)

// TestSpreadFlags: flags win over the variable, and both over a sweep file. Two devices are played here.
func TestSpreadFlags(t *testing.T) {
	two := placement.Machine{
		List: func(string) ([]string, error) { return []string{"A", "B"}, nil },
		Free: func(int) (int64, error) { return 1 << 30, nil },
	}
	for _, tt := range []struct {
		args, variable string
		file           placement.Placement
		want           string // provider, devices × workers
		err            string
	}{
		{args: "--workers 3", want: "cpu × 3"},
		{args: "--workers 3", file: placement.Placement{Provider: "webgpu"}, want: "webgpu × 3"},
		{args: "--provider cuda --device 1 --workers 3", want: "cuda, cuda:1 × 3"},
		{args: "--provider cuda --devices all --per-device 3", want: "cuda, cuda:0, cuda:1 × 3"},
		{args: "--devices 1", file: placement.Placement{Provider: "cuda", Devices: "all", PerDevice: 4}, want: "cuda, cuda:1 × 4"},
		{args: "--device 1", file: placement.Placement{Provider: "cuda", Devices: "all", PerDevice: 4}, want: "cuda, cuda:1 × 1"},
		{variable: "webgpu", file: placement.Placement{Provider: "cuda", Devices: "all"}, want: "webgpu × 1"},
		{args: "--provider cpu", variable: "webgpu", want: "cpu × 1"},
		{args: "--provider=", err: "--provider is empty"},
		{args: "--devices=", err: "--devices is empty"},
		{args: "--provider cuda --devices 0 --device 1", err: "--device and --devices: choose one"},
		{args: "--provider cuda --devices 0,2", err: "--devices 0,2: provider cuda has no such device here; there are: 0 (A), 1 (B)"},
		{args: "--devices all", err: "--devices all: provider cpu computes on none"},
		{args: "--provider cuda --devices all --per-device 0", err: "--per-device 0: want at least 1"},
		{args: "--provider cuda --per-device 2", err: "--per-device is of --devices, and none are given; add --devices all"},
		{args: "--provider cuda --devices all --workers 2", err: "--workers means nothing to devices, which have --per-device"},
		{variable: "tpu", err: `unknown provider "tpu"`},
	} {
		t.Run(tt.args+" "+tt.variable, func(t *testing.T) {
			t.Setenv(configs.ProviderVariable, tt.variable)
			var o sweepOptions
			c := &cobra.Command{}
			o.placed.add(c)
			o.addSpread(c)
			c.Flags().IntVar(&o.workers, "workers", 1, "")
			if err := c.ParseFlags(strings.Fields(tt.args)); err != nil {
				t.Fatal(err)
			}
			devices, err := o.spread(c.Flags(), tt.file, two, &o.workers)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			got := []string{o.Provider}
			for _, d := range devices {
				got = append(got, d.Name)
			}
			if text := strings.Join(got, ", ") + " × " + string(rune('0'+o.workers)); err != nil || text != tt.want {
				t.Errorf("%s, error %v; want %s", text, err, tt.want)
			}
		})
	}
}

// TestWebGPUSweep: one command trains a sweep on what devices there are, and the same comes out as on the CPU: losses, and rows,
// which name the provider that trained.
func TestWebGPUSweep(t *testing.T) {
	t.Setenv("ZOO_ORT_LIB", orttest.RequireWebGPU(t))
	t.Chdir(t.TempDir())
	zoo := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("zoo", args...).CombinedOutput(); err != nil {
			t.Fatalf("zoo %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	text := "encodings: [nope, rope]\nseeds: [1, 2]\nmodel: {d_model: 8, n_layers: 1, n_heads: 2, d_ff: 16}\n" +
		"train: {lengths: 2..3, steps: 20, batch: 2, threads: 1}\nplacement: {provider: webgpu, devices: all, per_device: 2}\n"
	if err := os.WriteFile("four.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]map[string]any{}
	for provider, args := range map[string][]string{"cpu": {"--provider", "cpu"}, "webgpu": nil} {
		zoo(append([]string{"sweep", "--config", "four.yaml", "--runs", provider}, args...)...)
		zoo("bench", "--runs", filepath.Join(provider, "four"), "--provider", "cpu", "--lengths", "2,4", "--n", "2", "-o", provider+".jsonl")
		data, err := os.ReadFile(provider + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			if row["train_provider"] != provider {
				t.Errorf("a row says that %v trained, want %s", row["train_provider"], provider)
			}
			rows[provider] = append(rows[provider], row)
		}
	}
	runs, err := filepath.Glob("cpu/four/*")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, dir := range runs {
		here, err := journal.Read(dir)
		if err != nil {
			continue // a log
		}
		there, err := journal.Read(filepath.Join("webgpu/four", filepath.Base(dir)))
		if err != nil || len(there.Steps) != 20 || len(here.Steps) != 20 {
			t.Fatalf("%s: %d steps here, %d there, error %v", dir, len(here.Steps), len(there.Steps), err)
		}
		for i, s := range there.Steps {
			if compared++; math.Abs(s.Loss-here.Steps[i].Loss) > 1e-3 || s.Provider != "webgpu" {
				t.Errorf("%s, step %d by %s: loss %v, on the CPU %v", dir, s.Step, s.Provider, s.Loss, here.Steps[i].Loss)
			}
		}
	}
	if compared != 80 {
		t.Errorf("%d steps were compared, want those of four runs", compared)
	}
	keys := func(rows []map[string]any) (out []string) {
		for _, r := range rows {
			var names []string
			for name := range r {
				names = append(names, name)
			}
			slices.Sort(names)
			out = append(out, strings.Join(append(names, r["config_hash"].(string)), " "))
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff(keys(rows["cpu"]), keys(rows["webgpu"])); diff != "" {
		t.Errorf("keys of rows and hashes of runs (-cpu +webgpu):\n%s", diff)
	}
}
