package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/cmd/zoo/internal/arguments"
	"github.com/nopezoo/zoo/cmd/zoo/internal/terminal"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/ort"
	"github.com/nopezoo/zoo/runtime/ort/install"
)

func setupVerb(a *app) *cobra.Command {
	var opt install.Options
	c := &cobra.Command{
		Use:   "setup",
		Short: "install the ONNX Runtime library",
		Args:  arguments.None,
		RunE:  func(c *cobra.Command, _ []string) error { return a.setup(c.Context(), opt) },
	}
	c.Flags().StringVar(&opt.Provider, "provider", "cpu", "cpu or cuda")
	c.Flags().StringVar(&opt.From, "from", "", "a `URL`, archive, library file or folder to install from")
	c.Flags().BoolVar(&opt.WithCUDA, "with-cuda", false,
		"with --provider cuda: also fetch CUDA and cuDNN (0.9 GiB, 1.2 GiB unpacked)")
	c.Flags().BoolVar(&opt.Insecure, "insecure", false, "accept a plain http URL, which anyone on the way can replace")
	return c
}

func checkSetup(opt install.Options) error {
	switch {
	case opt.Provider == "webgpu":
		return errors.New("provider webgpu is part of the library for cpu, where there is one for this machine; " +
			"install that: zoo setup; and look at it: zoo doctor --provider webgpu")
	case opt.Insecure && opt.From == "":
		return errors.New("--insecure is about the URL of --from, and none is given; leave it out")
	}
	return oneProvider(opt.Provider, "cpu", "cuda")
}

func (a *app) setup(ctx context.Context, opt install.Options) error {
	if err := checkSetup(opt); err != nil {
		return err
	}
	var m *terminal.Meter
	opt.Fetching = func(content string, download, keep int64) {
		if m != nil {
			m.Close()
			m = nil
		}
		text := "fetching " + content
		if download > 0 {
			text += ": " + human.Bytes(download) + " to download"
		}
		if keep > 0 {
			text += ", " + human.Bytes(keep) + " to keep"
		}
		a.Note("%s", text)
	}
	opt.Progress = func(done, total int64) {
		if m == nil {
			m = a.Meter("downloading", 0, total)
		}
		m.Update(done, func() string { return downloaded(done, total) })
	}
	done, err := install.Setup(ctx, opt)
	if m != nil {
		m.Close()
	}
	if err != nil {
		return err
	}
	for _, f := range done.Failed {
		a.Note("passed over %s", f)
	}
	a.reportSetup(done, opt.Provider)
	return nil
}

// downloaded says how far a download is. What comes behind it takes seconds too, without progress of its own.
func downloaded(done, total int64) string {
	text := human.Bytes(done)
	if total > 0 && done >= total-total/100 {
		text += ", unpacked next"
	}
	return text
}

func (a *app) reportSetup(done install.Installed, provider string) {
	how := "hash verified"
	if !done.Verified {
		how = "not verified: its hash is not one that zoo knows"
	}
	if done.Present {
		a.Print("ONNX Runtime %s is installed already: %s", done.Version, done.Path)
	} else {
		a.Print("installed ONNX Runtime %s from %s (%s): %s", done.Version, done.Origin, how, done.Path)
	}
	if done.CUDA != nil {
		a.reportCUDA(*done.CUDA)
	}
	if used, err := ort.Find(provider, ""); err != nil {
		a.Note("but it will not be used: %s", human.Error(err))
	} else if used.Path != done.Path {
		a.Note("but %s is used, found by the rule %q", used.Path, used.Source)
	}
}

func (a *app) reportCUDA(c install.CUDA) {
	switch {
	case len(c.Fetched) > 0:
		a.Print("installed %s: %s", strings.Join(c.Fetched, ", "), c.Folder)
	case c.Folder != "":
		a.Print("CUDA and cuDNN are installed already: %s", c.Folder)
	}
	if c.Err != nil {
		a.Note("what else the provider needs was not looked for: %s", human.Error(c.Err))
		return
	}
	if len(c.Places) > 0 {
		a.Print("the provider takes CUDA %s and cuDNN from: %s", c.Version, strings.Join(c.Places, ", "))
	}
	if c.Libraries != nil {
		a.Note("%v (%s to download, %s to keep)", c.Libraries, human.Bytes(c.Download), human.Bytes(c.Keep))
	}
	if c.Driver != nil {
		a.Note("%v", c.Driver)
	}
}
