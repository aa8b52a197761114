package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/nopezoo/zoo/internal/arguments"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/terminal"
	"github.com/nopezoo/zoo/runtime/ort"
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
	c.Flags().BoolVar(&opt.Insecure, "insecure", false, "accept a plain http URL, which anyone on the way can replace")
	return c
}

func (a *app) setup(ctx context.Context, opt install.Options) error {
	if err := arguments.OneOf("provider", opt.Provider, "cpu", "cuda"); err != nil {
		return err
	}
	var m *terminal.Meter
	opt.Progress = func(done, total int64) {
		if m == nil || total != m.Total || done < m.Done { // another source
			m = a.Meter("downloading ONNX Runtime "+ort.Version, 0, total)
		}
		m.Update(done, func() string { return human.Bytes(done) })
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
	a.reportSetup(done)
	return nil
}

func (a *app) reportSetup(done install.Installed) {
	how := "hash verified"
	if !done.Verified {
		how = "not verified: its hash is not one that zoo knows"
	}
	if done.Present {
		a.Print("ONNX Runtime %s is installed already: %s", done.Version, done.Path)
	} else {
		a.Print("installed ONNX Runtime %s from %s (%s): %s", done.Version, done.Origin, how, done.Path)
	}
	if used, err := ort.Find(""); err != nil {
		a.Note("but it will not be used: %v", err)
	} else if used.Path != done.Path {
		a.Note("but %s is used, found by the rule %q", used.Path, used.Source)
	}
}
