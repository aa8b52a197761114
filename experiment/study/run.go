package study

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/experiment/bench"
	"github.com/nopezoo/zoo/experiment/sweep"
	"github.com/nopezoo/zoo/internal/human"
	"github.com/nopezoo/zoo/internal/lists"
	"github.com/nopezoo/zoo/train"
	"github.com/nopezoo/zoo/zoo"
)

// Measured is the sweep.Status.State of a run whose rows are there.
const Measured = "measured"

// Run trains the runs that are not measured, and measures each as soon as it is finished,
// whether it fitted or not, while others are trained. It returns how all runs are then, with
// the rows added to the study's file run by run. A run that fails does not end the others: its
// status says so. At the end of ctx runs save and stop, and the error is train.ErrInterrupted;
// another call goes on. Without a Command in t nothing is trained. Models are read of runs as f says; Done of t is the study's own. Where tell is not nil, it is
// told of measurements as they go on, one call at a time and none while Report of t is.
func (s *Study) Run(ctx context.Context, t sweep.Training, f zoo.Options, tell func(text string)) ([]sweep.Status, error) {
	todo, release, err := s.begin(ctx, t.Ready)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(todo) == 0 {
		return s.statuses(nil, nil), nil
	}
	m := newMeasuring(s, f, len(todo))
	m.tell, m.report = tell, t.Report
	if t.Command == nil {
		return s.measure(ctx, todo, m)
	}
	t.Done, t.Report = m.put, m.reported
	go m.work(ctx)
	trained, err := sweep.Train(ctx, s.Trains, todo, t)
	failed := m.end()
	if trained == nil {
		return nil, err
	}
	if err == nil && ctx.Err() != nil { // all are trained, and some may not be measured
		err = train.ErrInterrupted
	}
	return s.statuses(trained, failed), err
}

// measure measures the runs that are finished, wherever they were trained.
func (s *Study) measure(ctx context.Context, todo []sweep.Run, m *measuring) ([]sweep.Status, error) {
	trained, _, _, err := sweep.Look(ctx, s.Trains, todo)
	if err != nil {
		return nil, err
	}
	for i, r := range todo {
		if trained[i].State == sweep.Finished {
			m.put(r)
		}
	}
	go m.work(ctx)
	failed := m.end()
	if ctx.Err() != nil {
		err = train.ErrInterrupted
	}
	return s.statuses(trained, failed), err
}

// begin keeps other programs from adding rows until release, and lists the runs that are not measured; in a folder that cannot be
// written to as well, where that is none.
func (s *Study) begin(ctx context.Context, ready func(context.Context) error) (todo []sweep.Run, release func(), err error) {
	if len(s.missing()) == 0 {
		return nil, func() {}, nil
	}
	if release, err = s.claim(); err != nil {
		return nil, nil, err
	}
	_, rows, err := readResults(s.Results) // as another study left it
	if err == nil {
		s.keep(rows)
		todo = s.missing()
	}
	if err == nil && len(todo) > 0 && ready != nil { // for measuring as well
		err = ready(ctx)
	}
	if err != nil {
		release()
	}
	return todo, release, err
}

// missing lists the runs that are not measured.
func (s *Study) missing() []sweep.Run {
	return lists.Filter(s.Runs, func(r sweep.Run) bool { return !s.Measured(r) })
}

// statuses says how all runs are: measured, or as trained has them by name, or failed in measuring.
func (s *Study) statuses(trained []sweep.Status, failed map[string]error) []sweep.Status {
	states := map[string]sweep.Status{}
	for _, t := range trained {
		states[t.Name] = t
	}
	var out []sweep.Status
	for _, r := range s.Runs {
		status := states[r.Name]
		if row, ok := s.measured(r); ok {
			status = sweep.Status{Name: r.Name, Encoding: r.Config.Model.Name(), Dir: r.Dir, State: Measured,
				Step: row.TrainSteps, Steps: r.Config.Train.Steps, FittedStep: row.FittedStep}
		} else if err := failed[r.Name]; err != nil {
			status.State, status.Error = sweep.Failed, "measuring: "+human.Error(err)
		}
		out = append(out, status)
	}
	return out
}

// Look returns how all runs are, as their rows and directories say.
func (s *Study) Look(ctx context.Context) ([]sweep.Status, error) {
	all, _, unasked, err := sweep.Look(ctx, s.Trains, s.Runs)
	if err == nil {
		err = unasked
	}
	if err != nil {
		return nil, err
	}
	return s.statuses(all, nil), nil
}

// measuring measures runs during their training, one at a time.
type measuring struct {
	study  *Study
	find   zoo.Options
	queue  chan sweep.Run
	done   chan bool
	mu     sync.Mutex // one of these is called at a time
	tell   func(text string)
	report func(sweep.Event)

	failed map[string]error
}

func newMeasuring(s *Study, f zoo.Options, most int) *measuring {
	return &measuring{study: s, find: f, queue: make(chan sweep.Run, most), done: make(chan bool), failed: map[string]error{}}
}

// put takes a run that is finished; there is room for all.
func (m *measuring) put(r sweep.Run) { m.queue <- r }

// end waits until all is measured that was put, and returns what failed, by run.
func (m *measuring) end() map[string]error {
	close(m.queue)
	<-m.done
	return m.failed
}

func (m *measuring) work(ctx context.Context) {
	defer close(m.done)
	for r := range m.queue {
		if ctx.Err() != nil {
			continue // the next call measures it
		}
		err := m.one(ctx, r)
		switch {
		case err == nil:
			m.notify(r.Name + ": measured")
		case ctx.Err() == nil:
			m.failed[r.Name] = err
			m.notify(fmt.Sprintf("%s: not measured: %v", r.Name, err))
		}
	}
}

// one measures a run as it was trained and with each change, as far as rows are missing, and keeps
// them.
func (m *measuring) one(ctx context.Context, r sweep.Run) error {
	trained, err := zoo.Find(filepath.FromSlash(r.Dir), m.find)
	if err != nil {
		return err
	}
	changes, err := interventions(r)
	if err != nil {
		return err
	}
	for _, i := range changes {
		if _, there := m.study.measuredWith(r, i); there {
			continue
		}
		model, err := trained.With(i, nil)
		if err == nil {
			err = m.model(ctx, r, model)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// model measures the model of a run and keeps its rows.
func (m *measuring) model(ctx context.Context, r sweep.Run, model zoo.Model) error {
	o, err := benchOptions(r)
	if err != nil {
		return err
	}
	o.ToolVersion = m.find.ToolVersion
	plan, err := bench.NewPlan(o)
	if err != nil {
		return err
	}
	onnx := func() ([]byte, fs.FS, error) { return model.ONNX(card.Portable) }
	if err := plan.Add(ctx, bench.Model{Label: model.Label, From: model.From, ONNX: onnx}); err != nil {
		return err
	}
	rows, err := plan.Run(ctx, "", bench.Watch{})
	if err != nil {
		return err
	}
	if got, want := rows[0].ConfigHash, r.Config.Hash(); got != want { // it would never count as measured
		return fmt.Errorf("its model is of the configuration %.12s…, and the study wants %.12s…", got, want)
	}
	return m.study.add(rows)
}

func (m *measuring) notify(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tell != nil {
		m.tell(text)
	}
}

func (m *measuring) reported(e sweep.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report != nil {
		m.report(e)
	}
}
