package task

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of a published file, in bytes.
const maxLine = 1 << 24

// readSCAN reads commands and actions, one sample a line:
//
//	IN: jump twice OUT: I_JUMP I_JUMP
func readSCAN(files ...io.Reader) ([]Sample, error) {
	if len(files) != 1 {
		return nil, fmt.Errorf("task scan: %d files, expected 1 with lines \"IN: … OUT: …\"", len(files))
	}
	var out []Sample
	err := eachLine(files[0], maxLine, func(_ int, line string) error {
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

// readPCFG reads prompts and answers of two files, line by line:
//
//	append A1 B2 , C3
//	A1 B2 C3
func readPCFG(files ...io.Reader) ([]Sample, error) {
	if len(files) != 2 {
		return nil, fmt.Errorf("task pcfg: %d files, expected 2: prompts (.src) and answers (.tgt)", len(files))
	}
	var out []Sample
	if err := eachLine(files[0], maxLine, func(_ int, line string) error {
		_, functions, err := pcfgAnswer(line)
		out = append(out, Sample{Prompt: "Solve: " + oneSpace(line) + "[SEP] ", Length: functions})
		return err
	}); err != nil {
		return nil, fmt.Errorf("prompts: %w", err)
	}
	n := 0
	if err := eachLine(files[1], maxLine, func(_ int, line string) error {
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

// eachLine calls do for every line that is not blank, with its number and without the
// spaces around it, and puts the number before its error. A line of more than most
// bytes is an error, and so is a file that is no text in UTF-8 by its first bytes; the mark U+FEFF there is passed over.
func eachLine(r io.Reader, most int, do func(number int, line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, most)
	number := 0
	for lines.Scan() {
		text := lines.Text()
		if number++; number == 1 {
			var err error
			if text, err = opening(text); err != nil {
				return err
			}
		}
		line := strings.TrimSpace(text)
		if line == "" {
			continue
		}
		if err := do(number, line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: has more than %d bytes", number+1, most)
	case err != nil:
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
