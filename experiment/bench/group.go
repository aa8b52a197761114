package bench

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/export/foreign"
	"github.com/nopezoo/zoo/export/safety"
	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer"
)

// group is the cells of one session: memory left over from larger
// batches or other threads would count into theirs.
type group struct {
	model   Model
	runtime runtime.Options
	batch   int
	card    card.Card
	words   tokenizer.Coder // of a pretrained model; nil for the card's
	load    workload        // for speed and estimates
	loadErr error           // why load is not known
	env     eval.Environment
	cells   []*Cell
	rest    []*Cell // of the same tasks, in another session
	need    int64   // bytes that its largest batch takes at most; 0 for not known
}

// read reads a model's file and validates it.
func (p *Plan) read(m Model) (group, error) {
	g := group{model: m, runtime: p.options.Runtime}
	data, beside, err := m.ONNX()
	if err != nil {
		return g, err
	}
	g.runtime.Beside = beside
	may := safety.Options{ControlFlow: g.runtime.AllowControlFlow, Domains: g.runtime.AllowDomains, Unvalidated: g.runtime.Unvalidated}
	if beside != nil {
		if data, may.External, err = safety.ReadBeside(data, beside); err != nil {
			return g, err
		}
	}
	file, err := safety.Check(data, may)
	if err != nil {
		return g, err
	}
	size := int64(len(data))
	for _, contents := range may.External {
		size += int64(len(contents))
	}
	described, err := foreign.Describe(file, beside, g.runtime.Beyond)
	if err != nil {
		return g, err
	}
	g.card, g.words = described.Card, described.Words
	if g.card.Form == card.Looped {
		return g, errors.New("the file gives whole answers, of which neither scores nor single tokens can be measured; " +
			"name the model that it was made from, or the file that zoo export writes without --generate")
	}
	if m.Profile != "" && g.card.Profile != m.Profile {
		return g, fmt.Errorf("profile %s: the file's profile is %s; ask for none, or measure what it was made from",
			m.Profile, g.card.Profile)
	}
	g.env = eval.Environment{Model: m.Label, ModelSHA256: fmt.Sprintf("%x", sha256.Sum256(data)), ModelBytes: size,
		Machine: p.machine.String(), ToolVersion: p.options.ToolVersion}
	g.load, g.loadErr = newWorkload(file, g.card, described.Contract)
	// Files of other programs are timed all the same, without counts of their work.
	if g.loadErr != nil && g.card.Profile != card.Foreign && slices.Contains(p.options.Measures, eval.MeasureSpeed) {
		return g, g.loadErr
	}
	return g, nil // a file that ONNX Runtime alone can read can still be measured on a task
}

// open loads the file that was planned with.
func (g *group) open() (*runtime.Session, error) {
	data, _, err := g.model.ONNX()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.model.From, err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(data)) != g.env.ModelSHA256 {
		return nil, fmt.Errorf("%s has changed since it was planned: start again", g.model.From)
	}
	s, err := runtime.OpenBytes(data, g.runtime)
	return wrap.Value(s, err, "%s", g.model.From)
}

// toRun reports whether a cell needs a session.
func (g *group) toRun() bool { return slices.ContainsFunc(g.cells, (*Cell).toRun) }
