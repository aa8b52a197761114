package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

func TestReportCUDA(t *testing.T) {
	gone := errors.New("gone")
	for _, tt := range []struct {
		name, out, err string
		cuda           install.CUDA
	}{
		{"fetched", "installed blas 13, dnn 9: /cache/cuda\nthe provider takes CUDA 13 and cuDNN from: /cache/cuda\n", "",
			install.CUDA{Fetched: []string{"blas 13", "dnn 9"}, Folder: "/cache/cuda", CUDA: ort.CUDA{Version: "13",
				Places: []string{"/cache/cuda"}}}},
		{"there already", "CUDA and cuDNN are installed already: /cache/cuda\n", "no driver\n",
			install.CUDA{Folder: "/cache/cuda", CUDA: ort.CUDA{Driver: errors.New("no driver")}}},
		{"the system's, in part", "the provider takes CUDA 13 and cuDNN from: /usr/lib\n",
			"a is missing (" + human.Bytes(3<<30) + " to download, " + human.Bytes(4<<30) + " to keep)\n",
			install.CUDA{Download: 3 << 30, Keep: 4 << 30, CUDA: ort.CUDA{Version: "13", Places: []string{"/usr/lib"}, Libraries: errors.New("a is missing")}}},
		{"nobody looked", "", "what else the provider needs was not looked for: gone\n", install.CUDA{Err: gone}},
	} {
		var out, notes strings.Builder
		a := &app{Streams: terminal.Streams{Out: &out, Err: &notes}}
		a.reportCUDA(tt.cuda)
		if diff := cmp.Diff([]string{tt.out, tt.err}, []string{out.String(), notes.String()}); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestDownloaded: at the end it says why nothing moves, where the end is known.
func TestDownloaded(t *testing.T) {
	for _, tc := range []struct {
		done, total int64
		want        string
	}{{1 << 20, 100 << 20, "1.00 MiB"}, {100 << 20, 100 << 20, "100 MiB, unpacked next"}, {99 << 20, 100 << 20, "99.0 MiB, unpacked next"}, {1 << 20, -1, "1.00 MiB"}} {
		if got := downloaded(tc.done, tc.total); got != tc.want {
			t.Errorf("%d of %d: %q, want %q", tc.done, tc.total, got, tc.want)
		}
	}
}
