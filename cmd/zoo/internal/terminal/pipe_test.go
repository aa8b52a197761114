//go:build unix

package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What waits for the other end of a pipe ends with the program: opening, writing, and reading.
func TestPipesEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	silent, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ends := func(name string, f func(ctx context.Context, s Streams) error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			ended <- f(ctx, Streams{In: silent, Out: io.Discard, Err: io.Discard, Ended: ctx.Done()})
		}()
		time.AfterFunc(10*time.Millisecond, cancel)
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want that it was cancelled", name, err)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s goes on", name)
		}
	}
	ends("reading", func(ctx context.Context, s Streams) error {
		in, stop := s.Input(ctx)
		defer stop()
		_, err := in.Read(make([]byte, 1))
		return err
	})
	ends("opening", func(_ context.Context, s Streams) error { return s.WriteBytes(Output{Path: path}, []byte("text")) })
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ends("writing", func(_ context.Context, s Streams) error { return s.WriteBytes(Output{Path: path}, make([]byte, 1<<22)) })
}
