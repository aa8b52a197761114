// Package terminal is about the streams of a program: results on standard output, notes and progress on standard
// error, and input that a person types. It tells terminals from files, and keeps control characters from them.
package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/wrap"
)

// Streams are the inputs and outputs of a program. Out and Err are Printable, or a test's.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer // results; progress and notes
	// Ended is closed when the program is to end, which ends waiting for the other end of a pipe; nil for never.
	Ended <-chan struct{}
}

// Print writes one line about a result. A terminal gets it folded to its width.
func (s Streams) Print(format string, args ...any) {
	fmt.Fprintln(s.Out, folded(s.Out, fmt.Sprintf(format, args...)))
}

// Note writes one line to the user, no result. A terminal gets it folded to its width.
func (s Streams) Note(format string, args ...any) {
	fmt.Fprintln(s.Err, folded(s.Err, fmt.Sprintf(format, args...)))
}

// folded is a message as a stream gets it.
func folded(w io.Writer, text string) string {
	if !isTerminal(w) {
		return text
	}
	return foldMessage(text, width(w))
}

// JSON writes a result for programs.
func (s Streams) JSON(v any) error {
	e := json.NewEncoder(s.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return wrap.Error(e.Encode(v), "output")
}

// Table writes lines of cells with their columns aligned. In a terminal the last column is folded to fit.
func (s Streams) Table(lines [][]string) error {
	if len(lines) == 0 {
		lines = [][]string{{"(none)"}}
	}
	if isTerminal(s.Out) {
		lines = human.Fold(lines, s.Width())
	}
	_, err := io.WriteString(s.Out, human.Table(lines))
	return err
}

// Width is how many columns results may take: $COLUMNS, else the terminal's, else 80.
func (s Streams) Width() int { return width(s.Out) }

// width is Width of any stream.
func width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	columns, _ := size(Raw(w))
	return columns
}

// IsPiped reports whether standard input is a pipe or a file, as opposed to a
// terminal or nothing.
func (s Streams) IsPiped() bool {
	f, ok := s.In.(*os.File)
	if !ok {
		return s.In != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// Interactive reports whether a person can be asked.
func (s Streams) Interactive() bool { return isTerminal(s.In) && isTerminal(s.Err) }

// Ask puts a question to the person at the terminal. No answer is no.
func (s Streams) Ask(ctx context.Context, question string) (yes bool, err error) {
	fmt.Fprint(s.Err, folded(s.Err, question+" [y/N]")+" ")
	line, err := s.input(ctx, func(r io.Reader) ([]byte, error) {
		line, _ := bufio.NewReader(r).ReadBytes('\n')
		return line, nil
	})
	if err != nil {
		fmt.Fprintln(s.Err) // what follows begins a line
	}
	text := strings.ToLower(strings.TrimSpace(string(line)))
	return text == "y" || text == "yes", err
}

// ReadText reads standard input whole, at most so many bytes: what names the text, such as "the prompt". After two
// seconds of waiting a note says so, and what to do instead.
func (s Streams) ReadText(ctx context.Context, what string, most int, instead string) (string, error) {
	slow := time.AfterFunc(2*time.Second, func() { s.Note("waiting for %s on standard input; %s", what, instead) })
	defer slow.Stop()
	text, err := s.input(ctx, func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, int64(most)+1)) })
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s from standard input: %w", what, err)
	case len(text) > most:
		return "", fmt.Errorf("%s on standard input is longer than %s", what, human.Bytes(int64(most)))
	}
	return string(text), nil
}

// Input is standard input; reading it fails when ctx ends. Call stop after the last read.
func (s Streams) Input(ctx context.Context) (r io.Reader, stop func()) {
	read, write := io.Pipe()
	go func() {
		_, err := io.Copy(write, s.In)
		write.CloseWithError(err)
	}()
	ended := context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })
	return read, func() {
		ended()
		read.Close()
	}
}

// input reads standard input, until ctx ends. An interrupt does not end the reading itself:
// it goes on until the program ends.
func (s Streams) input(ctx context.Context, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	var text []byte
	done := make(chan error, 1)
	go func() {
		var err error
		text, err = read(s.In)
		done <- err
	}()
	select {
	case err := <-done:
		return text, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// isTerminal reports whether a person is at the other end of a stream.
func isTerminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = Raw(w)
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// size returns the columns and lines of the terminal that w is, 80 and 24 where it is none.
func size(w io.Writer) (width, height int) {
	if f, ok := w.(*os.File); ok {
		if x, y, err := term.GetSize(int(f.Fd())); err == nil && x > 0 && y > 0 {
			return x, y
		}
	}
	return 80, 24
}
