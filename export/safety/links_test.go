package safety_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nopezoo/zoo/export/safety"
)

// Links to external data are followed within the folder that is named, and no further.
func TestReadFileLinks(t *testing.T) {
	// A repository in Hugging Face's cache of downloads.
	top := t.TempDir()
	repository := filepath.Join(top, "models--o--n")
	folder := filepath.Join(repository, "snapshots", "5a1b", "onnx")
	blobs := filepath.Join(repository, "blobs")
	path := filepath.Join(folder, "model.onnx")
	data := []byte{0, 0, 0, 64}
	for _, err := range []error{
		os.MkdirAll(folder, 0o700), os.Mkdir(blobs, 0o700),
		os.WriteFile(filepath.Join(blobs, "1"), marshal(t, outside(pair("location", "w.data"))), 0o600),
		os.WriteFile(filepath.Join(blobs, "2"), data, 0o600),
		os.WriteFile(filepath.Join(top, "precious"), data, 0o600),
		os.Symlink("../../../blobs/1", path),
		os.Symlink(repository, filepath.Join(top, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(folder, "w.data")
	for _, tc := range []struct{ name, to, within, want string }{
		{"no folder is named", "../../../blobs/2", "", "--links-within FOLDER"},
		{"within it", "../../../blobs/2", repository, ""},
		{"by a link to it", "../../../blobs/2", filepath.Join(top, "link"), ""},
		{"further up", "../../../blobs/2", top, ""},
		{"out of it", "../../../../precious", repository, "escapes from parent"},
		{"absolute", filepath.Join(blobs, "2"), repository, "escapes from parent"},
		{"another folder", "../../../blobs/2", blobs, "is not within " + blobs},
		{"no such folder", "../../../blobs/2", filepath.Join(top, "none"), "none"},
	} {
		if err := errors.Join(os.RemoveAll(link), os.Symlink(tc.to, link)); err != nil {
			t.Fatal(err)
		}
		got, _, err := safety.ReadFile(path, tc.within)
		switch {
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), path+": ")):
			t.Errorf("%s: error %v, want %s: … %q", tc.name, err, path, tc.want)
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.want == "":
			if _, err := safety.Check(got, safety.Options{}); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
	}
}
