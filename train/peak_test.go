package train_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/orttest"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/train/runfile"
)

// peakRun names the run that a child process is to make, whose peak of memory no other
// test has a part in.
const peakRun = "ZOO_TEST_PEAK"

// peakConfig returns the configuration that a name such as "small,t5,0.1,2" stands for:
// preset, encoding or architecture, dropout, lanes, and other settings than the preset's.
func peakConfig(t *testing.T, name string) runfile.Config {
	t.Helper()
	f := strings.Split(name, ",")
	cfg := preset(t, f[0])
	cfg.Model.Architecture, cfg.Model.Encoding = "", f[1]
	if len(f) > 4 {
		cfg.Model.Settings, cfg.Model.Activation, cfg.Model.NormEps = f[4], "", 0
	}
	if _, err := fmt.Sscan(f[2]+" "+f[3], &cfg.Train.Dropout, &cfg.Train.Lanes); err != nil {
		t.Fatal(err)
	}
	cfg.Train.Steps, cfg.Train.Warmup, cfg.Train.Threads = 3, 1, 2
	cfg, err := cfg.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// The peak of runs, in processes of their own, lies below their estimate, and not far.
func TestEstimateAgainstPeak(t *testing.T) {
	orttest.Require(t)
	memory, err := eval.ProcessMemory()
	if err != nil {
		t.Skip(err)
	}
	if name := os.Getenv(peakRun); name != "" {
		losses(t, start(t, t.TempDir(), peakConfig(t, name)))
		bytes, _, err := memory.Peak()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(os.Getenv(peakRun+"_FILE"), fmt.Append(nil, bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range []string{
		"tiny,nope,0,2", "tiny,cwrnn,0,2", "tiny,lstm,0,2", "tiny,deltanet,0,2", "small,deltanet,0,2",
		"small,nope,0,1", "small,nope,0,2", "small,txl,0,2", "small,t5,0.1,2", "small,nope,0,2,gpt2",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "peak")
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestEstimateAgainstPeak$")
			c.Env = append(os.Environ(), peakRun+"="+name, peakRun+"_FILE="+file)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var peak int64
			if _, err := fmt.Sscan(string(data), &peak); err != nil {
				t.Fatal(err)
			}
			cost, err := train.EstimateCost(peakConfig(t, name))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("peak %d MB, estimate %d MB, %.2f", peak/1e6, cost.Memory/1e6, float64(peak)/float64(cost.Memory))
			if peak > cost.Memory || peak < cost.Memory/2 {
				t.Errorf("peak %d bytes; want at most the estimate of %d, and at least half of it", peak, cost.Memory)
			}
		})
	}
}
