package install

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/internal/ort/library"
	"github.com/nopezoo/zoo/internal/wrap"
)

// The files of the npm package onnxruntime-web with which a page runs models on the
// processor: a module of JavaScript, and the WebAssembly that it loads.
const (
	WebModule = "ort.wasm.bundle.min.mjs"
	WebBinary = "ort-wasm-simd-threaded.wasm"
)

// webPins has their SHA-256, computed from the package of ort.Version as the npm client
// delivered and verified it.
func webPins() map[string]string {
	return map[string]string{
		WebModule: "7a3913dc5c7a9c3ad1144f5fbfecd402bc5013bcc886bc67664b18d8a15ab298",
		WebBinary: "ec8580a9d7b9476ceee52e10a7f94124e4dc71a019d666ed6d4726697c109a4d",
	}
}

// web is where the cache has them: they are for no platform but WebAssembly.
const web library.Platform = "web"

// Web returns the folder of the per-user cache that has onnxruntime-web of ort.Version:
// WebModule and WebBinary, with the hashes that are pinned in zoo. Where they are not there
// the npm client fetches them, with its own configured registry; offline that is an error.
// Nothing is left behind on failure.
func Web(ctx context.Context, offline bool) (folder string, err error) {
	if folder, err = library.CacheFolder("", web, false); err != nil {
		return "", err
	}
	if offline {
		return folder, checkWeb(folder, webPins())
	}
	return wrap.Value(folder, fetchWeb(ctx, folder, webPins(), exec.LookPath), "ort: onnxruntime-web %s", ort.Version)
}

// checkWeb reports what is not in a folder as the pins have it.
func checkWeb(folder string, pins map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		sum, err := fileSHA256(filepath.Join(folder, name))
		if err == nil && sum != pins[name] {
			err = fmt.Errorf("%s has the SHA-256 %s, pinned is %s", filepath.Join(folder, name), sum, pins[name])
		}
		if err != nil {
			return fmt.Errorf("ort: onnxruntime-web %s is not installed: %w", ort.Version, err)
		}
	}
	return nil
}

func fetchWeb(ctx context.Context, folder string, pins map[string]string, lookPath findProgram) error {
	if checkWeb(folder, pins) == nil {
		return nil
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return notWritable(folder, err)
	}
	stage, release, err := files.Stage(parent, stagePrefix)
	if err != nil {
		return notWritable(parent, err)
	}
	defer release()
	archive, err := npmPack(ctx, stage, "onnxruntime-web", lookPath)
	if err != nil {
		return err
	}
	if err := unpackWeb(archive, stage, pins); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	for name := range pins {
		if err := os.Rename(filepath.Join(stage, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// unpackWeb takes the pinned files out of the package's folder dist, into dir.
func unpackWeb(archive, dir string, pins map[string]string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	most, missing := defaultLimits(), maps.Clone(pins)
	if err := walkTGZ(f, most, func(entry string, content io.Reader) error {
		name := path.Base(entry)
		want, wanted := missing[name]
		if !wanted || entry != "package/dist/"+name {
			return nil
		}
		_, sum, err := writeCapped(filepath.Join(dir, name), content, most.file)
		if err != nil {
			return err
		}
		if sum != want {
			return fmt.Errorf("%s has the SHA-256 %s, pinned is %s: it is refused", name, sum, want)
		}
		delete(missing, name)
		return nil
	}); err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("the package has no %s", strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	return nil
}
