package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// documents are the pages that have command lines for a reader, README.md first.
func documents(t *testing.T) (pages []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "studies/*/README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	block  = regexp.MustCompile("(?ms)^```(\\S*)( quick)?$\n(.*?)^```$")
	inline = regexp.MustCompile("`[^`]+`")
	target = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
)

// TestDocumentedCommands checks that each command line of zoo and of make in the documents, in blocks and in sentences,
// names a verb, flags and a target that are there. It runs none of them, but plans those that train by themselves.
func TestDocumentedCommands(t *testing.T) {
	root := (&app{}).root()
	flags := map[string]bool{}
	for _, c := range append(root.Commands(), root) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name], flags["-"+f.Shorthand] = true, true })
	}
	targets := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(read(t, "../../Makefile"), -1) {
		targets[m[1]] = true
	}
	checked, planned := 0, 0
	t.Setenv("ZOO_ORT_LIB", filepath.Join(t.TempDir(), "none")) // planned without timing steps
	for _, page := range documents(t) {
		text := read(t, page)
		var lines []string
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			if m[1] == "sh" {
				lines = append(lines, strings.Split(strings.ReplaceAll(m[3], "\\\n", " "), "\n")...)
			}
		}
		for _, code := range inline.FindAllString(block.ReplaceAllString(text, ""), -1) {
			lines = append(lines, strings.Join(strings.Fields(strings.Trim(code, "`")), " "))
		}
		for _, line := range lines {
			for _, words := range commands(line) {
				switch first := strings.TrimPrefix(words[0], "bin/"); {
				case first == "zoo" && len(words) > 1:
					checked++
					checkCommand(t, page, root, words[1:])
					if trains(words[1:]) {
						planned++
						checkTraining(t, page, words[1:])
					}
				case first == "make" && len(words) > 1:
					checked++
					if !targets[words[1]] {
						t.Errorf("%s: %s: the Makefile has no such target", page, line)
					}
				case strings.HasPrefix(first, "--"):
					if name, _, _ := strings.Cut(first, "="); !flags[name] {
						t.Errorf("%s: %s: no verb has this flag", page, line)
					}
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d command lines were found: their form has changed", checked)
	}
	if planned < 10 {
		t.Errorf("%d command lines that train were found: their form has changed", planned)
	}
}

// trains reports whether a command line trains without what a test lacks: a model, a run, a text or a device.
func trains(args []string) bool {
	line := strings.Join(args, " ")
	return args[0] == "train" && len(args) > 1 && !slices.ContainsFunc([]string{"…", "--from", "--resume", "text:", "--provider"},
		func(needs string) bool { return strings.Contains(line, needs) })
}

// checkTraining checks that the settings of a command line that trains make a model.
func checkTraining(t *testing.T, page string, args []string) {
	t.Helper()
	var notes strings.Builder
	line := append(slices.Clone(args), "--dry-run", "--runs", t.TempDir())
	if code := run(t.Context(), line, strings.NewReader(""), io.Discard, &notes); code != 0 {
		t.Errorf("%s: zoo %s: %s", page, strings.Join(args, " "), &notes)
	}
}

// commands are the words of the commands in a line of shell, without quotes, redirections, variables and comments.
func commands(line string) (out [][]string) {
	words, word, quote := []string{}, "", rune(0)
	endWord := func() {
		if word != "" && (len(words) > 0 || !strings.Contains(word, "=") || strings.HasPrefix(word, "-")) {
			words = append(words, word)
		}
		word = ""
	}
	endCommand := func() {
		if endWord(); len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '"' || r == '\'':
			quote = r
		case r == '#' && word == "":
			endCommand()
			return out
		case strings.ContainsRune("&|;,", r) && (r != ',' || word == ""):
			endCommand()
		case r == ' ':
			endWord()
		default:
			word += string(r)
		}
	}
	endCommand()
	return out
}

// checkCommand wants a verb, or words in capitals for one, and flags that the verb has.
func checkCommand(t *testing.T, page string, root *cobra.Command, args []string) {
	t.Helper()
	c := root
	for i, word := range args {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case i == 0 && strings.ToUpper(word) == word && !strings.HasPrefix(word, "-"):
			return
		case i == 0 && !strings.HasPrefix(word, "-"):
			var err error
			if c, _, err = root.Find(args[:1]); err != nil || c == root {
				t.Errorf("%s: zoo %s: no such verb", page, strings.Join(args, " "))
				return
			}
			c.InitDefaultHelpFlag()
		case strings.HasPrefix(name, "--") && c.Flags().Lookup(name[2:]) == nil,
			!strings.HasPrefix(name, "--") && len(name) == 2 && name[0] == '-' && c.Flags().ShorthandLookup(name[1:]) == nil:
			t.Errorf("%s: zoo %s: the verb has no flag %s", page, strings.Join(args, " "), name)
		}
	}
}

// TestIgnored: what make demo and the README's commands leave in a clone is nothing for git.
func TestIgnored(t *testing.T) {
	if err := exec.Command("git", "-C", "../..", "rev-parse").Run(); err != nil {
		t.Skip("needs git and a clone:", err)
	}
	for _, name := range []string{"bin/zoo", "runs/x/run.json", "results/demo.jsonl", "report.html", "unique-copy-rope.onnx",
		"unique-copy-rope.tokenizer.json"} {
		if err := exec.Command("git", "-C", "../..", "check-ignore", "-q", name).Run(); err != nil {
			t.Errorf(".gitignore does not have %s: %v", name, err)
		}
	}
}

// TestQuickCommands runs the blocks marked "sh quick", each page in a folder like a fresh clone, in order. Of make it
// asks for the recipe alone (make -n): the tests themselves come from make. It runs apart from the other tests, by
// make test-docs, since some of the commands measure times.
func TestQuickCommands(t *testing.T) {
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if lib == "" || os.Getenv("QUICK_COMMANDS") != "1" {
		t.Skip("needs ONNX Runtime and QUICK_COMMANDS=1")
	}
	maker, err := exec.LookPath("make")
	if err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	ran := 0
	for _, page := range documents(t) {
		var quick []string
		for _, m := range block.FindAllStringSubmatch(read(t, page), -1) {
			switch {
			case m[1] == "sh" && m[2] != "":
				quick = append(quick, m[3])
			case m[1] == "sh" && page == "../../README.md":
				t.Errorf("%s has a block that is not marked as quick:\n%s", page, m[3])
			}
		}
		if len(quick) == 0 {
			continue
		}
		ran++
		t.Run(filepath.Base(page), func(t *testing.T) {
			clone, tools := t.TempDir(), t.TempDir()
			for _, name := range []string{"Makefile", "studies", "cmd", "go.mod", "go.sum"} {
				path, err := filepath.Abs(filepath.Join("../..", name))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(clone, name)); err != nil {
					t.Skip(err)
				}
			}
			dryMake := "#!/bin/sh\nexec " + maker + " -n \"$@\" >/dev/null\n"
			if err := os.WriteFile(filepath.Join(tools, "make"), []byte(dryMake), 0o700); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // no command of ours hangs a test
			defer cancel()
			c := exec.CommandContext(ctx, "sh", "-exc", strings.Join(quick, "\n"))
			c.Dir = clone
			c.Env = append(os.Environ(), "HOME="+clone, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "ZOO_ORT_LIB="+lib,
				"PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
			c.WaitDelay = 10 * time.Second
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if ran < 2 {
		t.Errorf("%d pages have quick blocks: their mark has changed", ran)
	}
}
