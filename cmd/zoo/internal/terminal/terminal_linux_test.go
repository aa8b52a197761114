package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// pseudoTerminal is a terminal of some columns, and what a person sees of it.
func pseudoTerminal(t *testing.T, columns uint16) (terminal *os.File, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	control := func(f *os.File, request uintptr, value unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(value)); errno != 0 {
			t.Skip(errno)
		}
	}
	var unlock, number int32
	control(screen, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(screen, syscall.TIOCGPTN, unsafe.Pointer(&number))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	control(terminal, syscall.TIOCSWINSZ, unsafe.Pointer(&[4]uint16{24, columns}))
	return terminal, screen
}

// TestTerminalWidth: results, notes and tables fit a terminal, also a narrow one.
func TestTerminalWidth(t *testing.T) {
	t.Setenv("COLUMNS", "")
	terminal, screen := pseudoTerminal(t, 30)
	s := Streams{Out: NewPrintable(terminal), Err: NewPrintable(terminal)}
	s.Print("%s: 48.0 KiB, checked by three others", "copy-rope.onnx")
	s.Note("nothing else is to be noted here")
	if err := s.Table([][]string{{"name", "a text that is folded below itself"}}); err != nil {
		t.Fatal(err)
	}
	want := "copy-rope.onnx: 48.0 KiB,\n  checked by three others\nnothing else is to be noted\n  here\n" +
		"name  a text that is folded\n      below itself\n"
	seen := make([]byte, len(want)+strings.Count(want, "\n")) // which a terminal makes two bytes
	_, err := io.ReadFull(screen, seen)
	if got := strings.ReplaceAll(string(seen), "\r\n", "\n"); err != nil || got != want || s.Width() != 30 {
		t.Errorf("%d columns, %v: got\n%s\nwant\n%s", s.Width(), err, got, want)
	}
}
