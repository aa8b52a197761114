package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licenceFile matches the files in which a module has its terms.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// unfiled are the terms of modules that have no file of them.
var unfiled = map[string]string{
	"github.com/chewxy/math32": "The module has no file of its terms. Its README.md says that the original code is that of Go's standard library, under the " +
		"BSD-style licence of Go, which stands here too.\n",
}

// linkedModules lists the modules that the program links on a system, with their folders.
func linkedModules(t *testing.T, system, cgo string) map[string]string {
	t.Helper()
	c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", ".")
	c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED="+cgo)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v", system, err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all[path] = dir
		}
	}
	return all
}

// terms are the texts of a folder's files of terms.
func terms(t *testing.T, dir string) (texts []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) {
			continue
		}
		if e.IsDir() { // such as those among which a reader chooses
			all, err := filepath.Glob(filepath.Join(dir, e.Name(), "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range all {
				texts = append(texts, termsIn(t, path))
			}
			continue
		}
		texts = append(texts, termsIn(t, filepath.Join(dir, e.Name())))
	}
	return texts
}

func termsIn(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(path) + "\n\n" + strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")) + "\n"
}

// TestThirdParty: each module that the program links has its terms in THIRD_PARTY, and so have Go, the fonts and the
// chart library. UPDATE_GOLDEN=1 (make golden) writes the file, of all systems.
func TestThirdParty(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	others := map[string]string{
		"Go": goEnv(t, "GOROOT"), "Apache ECharts, in the pages of zoo report": "../../eval/report/page/echarts",
	}
	update := os.Getenv("UPDATE_GOLDEN") == "1"
	modules := linkedModules(t, goEnv(t, "GOOS"), goEnv(t, "CGO_ENABLED"))
	if update {
		for _, system := range []string{"linux", "darwin", "windows"} {
			maps.Copy(modules, linkedModules(t, system, "0"))
		}
	}
	if modules["codeberg.org/go-fonts/liberation"] == "" {
		t.Error("the fonts are not among the modules")
	}
	maps.Copy(others, modules)
	of := map[string][]string{} // whose each text is
	for name, dir := range others {
		texts := terms(t, dir)
		if text := unfiled[name]; text != "" && len(texts) == 0 {
			texts = []string{text}
		}
		if len(texts) == 0 {
			t.Errorf("%s has no terms in %s; say them in unfiled", name, dir)
		}
		for _, text := range texts {
			of[text] = append(of[text], name)
		}
	}
	if update {
		var b bytes.Buffer
		b.WriteString("What is in the program zoo beside zoo itself, and its terms. Written by make golden.\n")
		write := map[string]string{} // in the order of the first name
		for text, names := range of {
			slices.Sort(names)
			write[strings.Join(names, "\n")+text] = fmt.Sprintf("\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(names, "\n"), text)
		}
		for _, key := range slices.Sorted(maps.Keys(write)) {
			b.WriteString(write[key])
		}
		if err := os.WriteFile("THIRD_PARTY", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for text, names := range of {
		if !strings.Contains(thirdParty, text) {
			t.Errorf("THIRD_PARTY lacks a text of %v; run: make golden", names)
		}
		for _, name := range names {
			if !strings.Contains(thirdParty, "\n"+name+"\n") {
				t.Errorf("THIRD_PARTY does not name %s; run: make golden", name)
			}
		}
	}
	if !strings.Contains(thirdParty, "SIL OPEN FONT LICENSE") {
		t.Error("THIRD_PARTY lacks the terms of the fonts")
	}
}

// goEnv is a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
