package ort

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// checkWhole reports a library file of so many bytes that ends before what its
// headers describe does. Loading one would kill the process: the loader maps the
// whole of it, and reading beyond a file's end is a bus error.
func checkWhole(f io.ReaderAt, size int64, p platform) error {
	end, err := described(f, p)
	if err != nil {
		return fmt.Errorf("cut short or damaged: %w", err)
	}
	if end > uint64(size) {
		return fmt.Errorf("cut short: it has %d bytes of the %d that its headers describe", size, end)
	}
	return nil
}

// described returns where the last part of a library ends that is loaded.
func described(f io.ReaderAt, p platform) (end uint64, err error) {
	switch p.os() {
	case "windows":
		file, err := pe.NewFile(f)
		if err != nil {
			return 0, err
		}
		for _, s := range file.Sections {
			end = max(end, uint64(s.Offset)+uint64(s.Size))
		}
	case "darwin", "ios":
		file, err := macho.NewFile(f)
		if err != nil {
			return 0, err
		}
		for _, l := range file.Loads {
			if s, ok := l.(*macho.Segment); ok {
				end = max(end, s.Offset+s.Filesz)
			}
		}
	default:
		file, err := elf.NewFile(f)
		if err != nil {
			return 0, err
		}
		for _, s := range file.Progs {
			end = max(end, s.Off+s.Filesz)
		}
	}
	return end, nil
}

// checkProviders is checkWhole for the execution providers in a folder.
func checkProviders(dir string, p platform) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if !providerName.MatchString(e.Name()) {
			continue
		}
		if err := checkProvider(filepath.Join(dir, e.Name()), p); err != nil {
			return err
		}
	}
	return nil
}

func checkProvider(path string, p platform) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := checkWhole(f, info.Size(), p); err != nil {
		return fmt.Errorf("%s is %w", path, err)
	}
	return nil
}
