package zoo_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// checkDockerfile wants known instructions, sources that are there, and stages in the order of their use. It returns the images.
func checkDockerfile(text string) (images []string, err error) {
	stages := map[string]bool{}
	for line := range strings.Lines(regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, " ")) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch words[0] {
		case "FROM":
			if len(words) != 2 && (len(words) != 4 || words[2] != "AS") {
				return nil, fmt.Errorf("%q: want FROM IMAGE [AS STAGE]", line)
			}
			images = append(images, words[1])
			stages[words[len(words)-1]] = true
		case "COPY":
			from, staged := strings.CutPrefix(words[1], "--from=")
			if staged && !stages[from] {
				return nil, fmt.Errorf("%q: no stage before has this name", line)
			}
			if !staged {
				err = present(words[1 : len(words)-1])
			}
		case "ARG", "RUN", "ENV", "WORKDIR", "ENTRYPOINT":
			if len(words) < 2 {
				err = fmt.Errorf("%q says nothing", line)
			}
		default:
			err = fmt.Errorf("%q: unknown instruction", line)
		}
		if err != nil {
			return nil, err
		}
		if len(images) == 0 {
			return nil, fmt.Errorf("%q comes before FROM", line)
		}
	}
	return images, nil
}

// checkDefinition is checkDockerfile for a definition of Apptainer.
func checkDefinition(text string) (images []string, err error) {
	stages, arguments, section := map[string]bool{}, map[string]bool{}, ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		key, value, header := strings.Cut(trimmed, ": ")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(line, "%"):
			words := strings.Fields(line)
			section = words[0]
			if !slices.Contains([]string{"%arguments", "%files", "%post", "%environment", "%runscript", "%test"}, section) {
				return nil, fmt.Errorf("%q: unknown section", line)
			}
			if len(words) == 3 && (words[1] != "from" || !stages[words[2]]) {
				return nil, fmt.Errorf("%q: no stage before has this name", line)
			}
			if len(words) == 3 {
				section = "%files of a stage"
			}
		case line[0] != ' ' && header: // of a stage
			section = ""
			switch key {
			case "Bootstrap":
			case "From":
				images = append(images, value)
			case "Stage":
				stages[value] = true
			default:
				return nil, fmt.Errorf("%q: unknown key", line)
			}
		case section == "":
			return nil, fmt.Errorf("%q is in no section", line)
		case section == "%files":
			if err := present(strings.Fields(trimmed)[:1]); err != nil {
				return nil, err
			}
		case section == "%arguments":
			name, _, _ := strings.Cut(trimmed, "=")
			arguments[name] = true
		}
		for _, m := range regexp.MustCompile(`{{ (\S+) }}`).FindAllStringSubmatch(line, -1) {
			if !arguments[m[1]] {
				return nil, fmt.Errorf("%q: %%arguments lacks %s", line, m[1])
			}
		}
	}
	return images, nil
}

func present(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}

// TestContainers parses the files that containers are built of, which make test-containers builds where it can: they agree on their
// images, and these on go.mod.
func TestContainers(t *testing.T) {
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	docker, err := checkDockerfile(read("Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	apptainer, err := checkDefinition(read("zoo.def"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read("go.mod"))[1]
	want := []string{"golang:" + version + "-bookworm", "debian:bookworm-slim"}
	if !slices.Equal(docker, want) || !slices.Equal(apptainer, want) {
		t.Errorf("images %v and %v, want %v", docker, apptainer, want)
	}
	for text, want := range map[string]string{
		"FROM a AS b\nCOPY --from=c /x /y": "no stage", "FROM a\nCOPY nowhere /y": "nowhere", "FROM a\nRUNS x": "unknown instruction",
		"RUN x": "before FROM",
	} {
		if _, err := checkDockerfile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"From: a\n%files from b\n": "no stage", "%files\n    nowhere /x": "nowhere", "%pst\n": "unknown section",
		"%post\n    {{ x }}": "%arguments lacks x", "    x": "in no section",
	} {
		if _, err := checkDefinition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
