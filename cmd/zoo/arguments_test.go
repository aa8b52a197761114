package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// raw are words of the libraries that read command lines, which tell a user of zoo
// little.
var raw = []string{"strconv", "invalid", "parse", "arg(s)", "unknown command", "required flag", "if any flags",
	"needs an argument", "bad flag", "shorthand", "csv"}

// TestFlagErrors gives every flag of every verb a value that it cannot have, and none.
func TestFlagErrors(t *testing.T) {
	for _, make := range verbs() {
		c := make(&app{})
		c.Flags().VisitAll(func(f *pflag.Flag) {
			wrong := "--" + f.Name + `="x`
			if slices.Contains([]string{"string", "stringArray"}, f.Value.Type()) {
				wrong = "" // takes any
			}
			none := "--" + f.Name
			if f.NoOptDefVal != "" {
				none = "" // may stand alone
			}
			for _, arg := range []string{wrong, none} {
				if arg != "" {
					refused(t, "--"+f.Name, c.Name(), arg)
				}
			}
		})
	}
}

func TestArgumentErrors(t *testing.T) {
	t.Chdir(t.TempDir()) // without results
	for _, test := range []struct{ args, want string }{
		{"bench --n many", `--n "many": want a whole number; see: zoo bench --help`},
		{"bench --n 99999999999999999999", `--n "99999999999999999999": want a whole number that is not so large`},
		{"bench --threads 1,x", `--threads "1,x": want whole numbers with commas`},
		{"train --lr fast", `--lr "fast": want a number`},
		{"list --json=maybe", `--json "maybe": want true or false`},
		{"bench --n", "--n lacks its value, a whole number; see: zoo bench --help"},
		{"report r.jsonl -o", "--output lacks its value, text"},
		{"list --=x", "--=x is no flag"},
		{"doctor now", `MODEL now is given without a provider; add --provider`},
		{"generate a b c", `unexpected argument "c" after the prompt`},
		{"report", "there is no folder results, which zoo bench makes; measure something, or name a file of results"},
		{"inspect", "inspect lacks its argument, a file, a run directory or a model of the catalogue"},
		{"inspect a b", `unexpected argument "b"`},
		{"construct", "--theorem is missing: want 1 or 2"},
		{"inspect x --json --graph", "--json and --graph exclude each other; give one of them; see: zoo inspect --help"},
		{"data --all --from x --n 2", "--all and --from and --n exclude each other"},
		{"setup --provider webgpu", "provider webgpu is part of the library for cpu"},
		{"setup --insecure", "--insecure is about the URL of --from, and none is given"},
		{"generate copy-nope --provider gpu", `unknown provider "gpu": a graphics card is webgpu (of any vendor) or cuda`},
		{"bench copy-nope --provider gpu,cpu", `unknown provider "gpu": a graphics card is webgpu (of any vendor) or cuda`},
		{"train --provider GPU", `unknown provider "GPU": a graphics card is webgpu (of any vendor) or cuda`},
		{"setup --provider gpu", `or cuda (NVIDIA's); known: cpu, cuda`},
		{"generate copy-nope --allow-cpu-nodes", "--allow-cpu-nodes is for the provider of a device (cuda, webgpu), and --provider is cpu; leave out one"},
		{"bench copy-nope --allow-cpu-nodes --provider cpu,go", "--allow-cpu-nodes is for the provider of a device (cuda, webgpu), and --provider is cpu,go"},
		{"train --pe nope --allow-cpu-nodes", "--allow-cpu-nodes is for the provider of a device"},
		{"train --pe nope --device 1", "--device 1: provider cpu computes on none; leave it out, or choose provider cuda or webgpu"},
		{"train --pe nope --device=", "--device is empty"},
		{"train --pe nope --provider webgpu --device one", `--device "one": want a number, 0 or more`},
		{"sweep --config demo --device -1", `--device "-1": want a number, 0 or more`},
		{"sweep --config demo --executor slurm --device 0", "--device means nothing to --executor slurm"},
		{"bench copy-nope --device 1", "--device 1: provider cpu computes on none"},
		{"bench copy-nope --provider cuda,cpu,webgpu --device 1", "--device 1: providers cuda and webgpu number devices in their own ways; name one"},
		{"analyze copy-nope --provider cuda", "--provider cuda: analyze looks into what pure Go computes, provider go; leave the flag out"},
		{"export copy-nope --allow-cpu-nodes", "--allow-cpu-nodes is for the provider of a device"},
		{"export copy-nope --format safetensors --allow-cpu-nodes", "--allow-cpu-nodes is about ONNX files"},
		{"export copy-nope --no-verify --provider webgpu", "--provider is about verifying, and --no-verify does none; leave out one"},
		{"export --run x --task copy", "--task and --run exclude each other"},
	} {
		refused(t, test.want, strings.Fields(test.args)...)
	}
}

// refused runs a command line that must fail with an error in zoo's own words.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	var stderr strings.Builder
	code := run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr)
	if code != exitFailure || !strings.Contains(stderr.String(), want) {
		t.Errorf("zoo %s: exit code %d, %q; want an error with %q", strings.Join(args, " "), code, &stderr, want)
	}
	for _, word := range raw {
		if strings.Contains(stderr.String(), word) {
			t.Errorf("zoo %s: %q has the raw word %q", strings.Join(args, " "), &stderr, word)
		}
	}
}
