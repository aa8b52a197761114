package task

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of a file, in bytes.
const maxLine = 1 << 24

// ReadSCAN reads commands and actions from a file of the original SCAN data set,
// one sample a line:
//
//	IN: jump twice OUT: I_JUMP I_JUMP
//
// The samples have this package's form ("Solve: jump twice[SEP] ", "Jump Jump").
// The actions are those of the file; compare them with Task.Answer to check one
// against the other. An error names the line.
func ReadSCAN(r io.Reader) ([]Sample, error) {
	var out []Sample
	err := eachLine(r, func(line string) error {
		command, actions, ok := strings.Cut(strings.TrimPrefix(line, "IN:"), "OUT:")
		if !ok || !strings.HasPrefix(line, "IN:") {
			return fmt.Errorf("%q is not of the form \"IN: … OUT: …\"", shorten(line))
		}
		var named []string
		for _, a := range strings.Fields(actions) {
			name, known := scanActionName(a)
			if !known {
				return fmt.Errorf("unknown action %q", shorten(a))
			}
			named = append(named, name)
		}
		if len(named) == 0 {
			return errors.New("no actions")
		}
		out = append(out, scanSample(oneSpace(command), named))
		return nil
	})
	return out, err
}

// scanActionName turns I_TURN_LEFT into Left and I_JUMP into Jump.
func scanActionName(original string) (string, bool) {
	name, ok := strings.CutPrefix(original, "I_")
	name = strings.ToLower(strings.TrimPrefix(name, "TURN_"))
	for _, known := range append(scanVerbs(), scanDirections()...) {
		if name == known {
			return capital(name), ok
		}
	}
	return "", false
}

// ReadPCFG reads a pair of files of the original PCFG SET data set: prompts and
// answers (".src" and ".tgt"), line by line.
//
//	append A1 B2 , C3
//	A1 B2 C3
//
// The samples have this package's form; the answers are those of the file. An
// error names the line.
func ReadPCFG(src, tgt io.Reader) ([]Sample, error) {
	var out []Sample
	if err := eachLine(src, func(line string) error {
		_, functions, err := pcfgAnswer(line)
		out = append(out, Sample{Prompt: "Solve: " + oneSpace(line) + "[SEP] ", Length: functions})
		return err
	}); err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	n := 0
	if err := eachLine(tgt, func(line string) error {
		if n < len(out) {
			out[n].Target = oneSpace(line)
		}
		n++
		return nil
	}); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	if n != len(out) {
		return nil, fmt.Errorf("%d prompts but %d answers", len(out), n)
	}
	return out, nil
}

// eachLine calls do for every line that is not blank, without the spaces around
// it, and puts the line's number before its error.
func eachLine(r io.Reader, do func(line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
