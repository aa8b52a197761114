package install

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
)

// record stands next to an installed library and says where it came from. It is
// only a file: what is verified follows from hashes and pins.
type record struct {
	Origin  string `json:"origin"`
	SHA256  string `json:"sha256"`            // of the library
	Archive string `json:"archive,omitempty"` // SHA-256 of the file that it came in; none for a folder
}

const recordName = "origin.json"

// Origin says where a library came from, as far as its hash and the record next to
// it tell. It is verified where zoo has pinned its hash, or the archive's
// that the record names; otherwise its origin is what Setup was told to install,
// or "" for a library that is not one of ours.
func Origin(lib ort.Library) (Installed, error) {
	return origin(lib, pinned(officialPins(), "", library.Host()))
}

func origin(lib ort.Library, pins []pin) (Installed, error) {
	sum, err := fileSHA256(lib.Path)
	if err != nil {
		return Installed{}, err
	}
	done := Installed{Library: lib, SHA256: sum}
	var r record
	data, err := files.ReadRegular(filepath.Join(filepath.Dir(lib.Path), recordName), 1<<20)
	if err != nil || json.Unmarshal(data, &r) != nil || r.SHA256 != sum {
		r = record{} // none, or another library's
	}
	done.Verified, _ = verify(pins, false, r.Archive, sum, nil)
	if done.Verified || !official(r.Origin) {
		done.Origin = r.Origin
	}
	return done, nil
}

// official reports whether a name is a source's whose files are pinned.
func official(name string) bool {
	for _, p := range officialPins() {
		if p.source == name {
			return true
		}
	}
	return false
}

// present returns what is installed in folder, if it is complete and verified; a build for
// CUDA also in its provider.
func present(folder string, p library.Platform, pins []pin, cuda bool) (Installed, bool) {
	path := filepath.Join(folder, p.Names()[0])
	lib := ort.Library{Path: path, Source: ort.FromCache, Version: library.VersionOf(path, p)}
	pins = pinned(pins, "", p)
	done, err := origin(lib, pins)
	done.Present = true
	return done, err == nil && done.Verified && (!cuda || providerVerified(folder, pins))
}

// providerVerified reports whether every part of the CUDA provider is in folder and pinned.
func providerVerified(folder string, pins []pin) bool {
	list, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	var sums []string
	for _, e := range list {
		if !isCUDAPart(e.Name()) {
			continue
		}
		sum, err := fileSHA256(filepath.Join(folder, e.Name()))
		if err != nil {
			return false
		}
		sums = append(sums, sum)
	}
	return len(sums) == len(cudaParts) && allPinned(pins, sums)
}
