package runfile

// Progress is what a run knows in addition to weights and moments; checkpoints hold it.
type Progress struct {
	Evaluated int     `json:"evaluated"`  // step of the last evaluation; 0 for none
	BestStep  int     `json:"best_step"`  // step of the best one; 0 for none
	BestScore float64 `json:"best_score"` // its sequence accuracy at trained lengths, rounded; of running text its negated bits per byte
	Perfect   int     `json:"perfect"`    // evaluations without a mistake, the last one backwards
	// Watch tells a loss that explodes from one that is noisy, so that a resumed run judges as an
	// uninterrupted one.
	Watch struct {
		Start  float64 `json:"start"`  // loss of the first step
		Smooth float64 `json:"smooth"` // exponential mean of the loss
		Best   float64 `json:"best"`   // lowest Smooth
		Bad    int     `json:"bad"`    // steps in a row that looked like an explosion
	} `json:"watch"`
	// Fitted is the step of the first evaluation without a mistake, 0 for none so far; nil
	// before the first evaluation, and where it is not known (see recall).
	Fitted *int `json:"fitted_step,omitempty"`
	// Provider made the steps: "cpu", or "cpu+cuda" of a run that went on elsewhere; "" before the first, and in older files.
	Provider string `json:"provider,omitempty"`
	Prompts  int    `json:"prompts,omitempty"` // of the last evaluation, at trained lengths; 0 where not known
}

// Finished reports whether the run has nothing left to do: all steps are done,
// or it was stopped early as its configuration says.
func (c *Checkpoint) Finished() bool {
	r := c.Config.Train
	done := c.Step >= r.Steps || r.StopAfterPerfect > 0 && c.Progress.Perfect >= r.StopAfterPerfect
	return done && !c.EvaluationDue()
}

// EvaluationDue reports whether the run is to be evaluated before its next step.
func (c *Checkpoint) EvaluationDue() bool {
	r := c.Config.Train
	ends := r.EvalEvery > 0 && c.Step > 0 && (c.Step%r.EvalEvery == 0 || c.Step >= r.Steps)
	return ends && c.Progress.Evaluated < c.Step
}
