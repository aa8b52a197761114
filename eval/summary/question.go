package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/human"
)

// Question is one that the project asks, with what rows say of it.
type Question struct {
	Key     string // one of AskText and its like
	Title   string
	Verdict Verdict
	Answer  []string // two sentences, of which the first begins with the verdict
	Change  string   // what would change our mind: the rule that decides
}

// What questions are about.
const (
	AskText       = "text"
	AskTheorem1   = "theorem1"
	AskTheorem2   = "theorem2"
	AskPositional = "positional"
)

// Verdict is what rows decide. A yes to "is it learned" takes one run that learned it; a no takes decidingRuns.
type Verdict string

const (
	Yes       Verdict = "Yes"
	No        Verdict = "No"
	Undecided Verdict = "Undecided"
)

// Thresholds of the verdicts.
const (
	decidingRuns    = 2    // runs without it that a no takes
	textMargin      = 0.02 // bits per byte above the best other encoding's, as a share of them
	positionR2      = 0.9  // R² of a probe that reads the position
	positionGain    = 0.1  // of R², above that of the untrained weights
	positionUsed    = 0.2  // share of the answers' tokens lost by that, beyond what random directions lose
	logitsR2        = 0.9  // R² of logits told by content and distance
	logitsDistance  = 0.1  // of that, above the R² of content alone
	positionalShare = 0.9  // of the variance of a head's weights
)

// nope is the encoding that the questions are about.
const nope = "nope"

// Questions answers those of which there are rows: of running text, and of findings.
func Questions(s *Study, inside []InsideTask) []Question {
	var out []Question
	for _, t := range s.Texts {
		if q, ok := s.askText(t); ok {
			out = append(out, q)
		}
	}
	for _, ask := range []func([]taskRun) (Question, bool){askTheorem1, askTheorem2, askPositional} {
		if q, ok := ask(nopeRuns(inside)); ok {
			out = append(out, q)
		}
	}
	return out
}

// answer puts a question together; what is the first sentence behind the verdict.
func answer(key, title string, v Verdict, what, second, change string) Question {
	return Question{key, title, v, []string{string(v) + ": " + what, second}, change}
}

// askText compares bits per byte with those of the best other encoding that has runs enough: at the longest trained
// windows, and whether they stay beyond.
func (s *Study) askText(t *Text) (Question, bool) {
	own, others := (*TextSeries)(nil), []*TextSeries{}
	for i := range t.Series {
		switch of := &t.Series[i]; {
		case of.Trained[1] == 0 || of.Name != s.Encodings[of.Encoding]: // of no run, or of one that is not plain
		case of.Name == nope:
			own = of
		default:
			others = append(others, of)
		}
	}
	if own == nil {
		return Question{}, false
	}
	at, last := -1, -1
	for i, length := range t.Lengths {
		if !own.Points[i].Bits.Median.Known() {
			continue
		}
		if last = i; length.Max <= own.Trained[1] {
			at = i
		}
	}
	const title = "Does NoPE work in natural-language pretraining?"
	change := fmt.Sprintf("Another verdict takes %d runs or more of both encodings in which NoPE's median of bits per byte, in the longest "+
		"windows that it was trained on, passes %.0f %% above those of the best other encoding that has as many; for a no every "+
		"run of NoPE must be above every run of that one.",
		decidingRuns, 100*textMargin)
	if at < 0 {
		return answer(AskText, title, Undecided, fmt.Sprintf("on %s NoPE was not measured in windows as long as trained ones.", t.Name),
			"Longer windows alone do not say whether it learned the text.", change), true
	}
	here := own.Points[at].Bits
	others = slices.DeleteFunc(others, func(of *TextSeries) bool { return !of.Points[at].Bits.Median.Known() })
	second := "No longer windows were measured, so that nothing is said of lengths beyond training."
	if last > at {
		far := own.Points[last].Bits.Median
		stays := "does not stay"
		if withinMargin(far, here.Median) {
			stays = "stays"
		}
		second = fmt.Sprintf("In windows of %s tokens it has %.3f and %s within %.0f %% of what it has at %s.", t.Lengths[last].Label(), far,
			stays, 100*textMargin, t.Lengths[at].Label())
	}
	first := fmt.Sprintf("on %s NoPE has %.3f bits per byte in windows of %s tokens (%s)", t.Name, here.Median, t.Lengths[at].Label(),
		human.Plural(len(knownRuns(here)), "run", "runs"))
	if len(others) == 0 {
		return answer(AskText, title, Undecided, first+", and there is no other encoding to compare it with.", second, change), true
	}
	bits := func(of *TextSeries) Spread { return of.Points[at].Bits }
	byMedian := func(a, b *TextSeries) int { return cmp.Compare(bits(a).Median, bits(b).Median) }
	// An encoding with too few runs to decide is compared with only where all others have too few.
	best := slices.MinFunc(others, func(a, b *TextSeries) int {
		return cmp.Or(cmp.Compare(min(len(knownRuns(bits(b))), decidingRuns), min(len(knownRuns(bits(a))), decidingRuns)),
			byMedian(a, b))
	})
	there := bits(best)
	first += fmt.Sprintf(", %s the best of %s, %.3f (%s)", best.Name, human.Plural(len(others), "other encoding", "other encodings"), there.Median,
		human.Plural(len(knownRuns(there)), "run", "runs"))
	if single := slices.MinFunc(others, byMedian); single != best {
		first += fmt.Sprintf(" but for %s, %.3f in a single run", single.Name, bits(single).Median)
	}
	first += "."
	return answer(AskText, title, textVerdict(here, there), first, second, change), true
}

// withinMargin reports whether bits per byte pass others by textMargin at most.
func withinMargin(bits, others Number) bool { return bits <= (1+textMargin)*others }

func textVerdict(own, best Spread) Verdict {
	a, b := knownRuns(own), knownRuns(best)
	switch {
	case min(len(a), len(b)) < decidingRuns:
		return Undecided
	case withinMargin(own.Median, best.Median):
		return Yes
	case slices.Min(a) > slices.Max(b):
		return No
	}
	return Undecided
}

func knownRuns(s Spread) []Number {
	return slices.DeleteFunc(slices.Clone(s.Runs), func(n Number) bool { return !n.Known() })
}

// taskRun is a run beside the lengths of its task.
type taskRun struct {
	InsideRun
	task    string
	lengths []int
}

func nopeRuns(inside []InsideTask) []taskRun {
	var out []taskRun
	for i := range inside {
		for _, r := range inside[i].Runs() {
			if r.Model.Base == nope {
				out = append(out, taskRun{r, inside[i].Name, inside[i].Lengths})
			}
		}
	}
	return out
}

// tally counts runs by what they say.
type tally struct {
	runs           []taskRun // that were looked into
	learned, never int       // that have it and had it not before training; that have it not
}

func (t *tally) verdict() Verdict {
	switch {
	case t.learned > 0:
		return Yes
	case t.never == len(t.runs) && t.never >= decidingRuns:
		return No
	}
	return Undecided
}

// size says how many runs, seeds and tasks there are: "2 NoPE models (2 seeds, 1 task)".
func (t *tally) size() string {
	var seeds []card.Seeds
	var tasks []string
	for _, r := range t.runs {
		seeds, tasks = append(seeds, r.Model.Seeds), append(tasks, r.task)
	}
	slices.SortFunc(seeds, card.Seeds.Compare)
	slices.Sort(tasks)
	return fmt.Sprintf("%s (%s, %s)", human.Plural(len(t.runs), "NoPE model", "NoPE models"), human.Plural(len(slices.Compact(seeds)), "seed", "seeds"),
		human.Plural(len(slices.Compact(tasks)), "task", "tasks"))
}

// withoutInit says of how many runs the untrained weights were not looked into.
func (t *tally) withoutInit(looked func(*InsideModel) bool) string {
	n := 0
	for _, r := range t.runs {
		if r.Init == nil || !looked(r.Init) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the untrained weights of %d were not looked into", n)
}

// noRule ends every rule about what is learned.
var noRule = fmt.Sprintf(" A no takes %d runs, none of which has it; all else decides nothing.", decidingRuns)

func askTheorem1(all []taskRun) (Question, bool) {
	t, read, before, greatest := tally{}, 0, 0, Number(math.Inf(-1))
	for _, r := range all {
		i := r.Model.ProbesWithin(r.lengths, eval.RandomTokens)
		if i < 0 {
			continue
		}
		r2, untrained := r.Model.bestProbe(i), Unknown
		if r.Init != nil {
			untrained = r.Init.bestProbe(i)
		}
		if !r2.Known() { // of embeddings alone
			continue
		}
		t.runs = append(t.runs, r)
		greatest = max(greatest, r2)
		switch {
		case r2 < positionR2:
			t.never++
			continue
		case r2-untrained >= positionGain && untrained < positionR2: // not of Unknown
			t.learned++
		}
		read++
		if untrained >= positionR2 {
			before++
		}
	}
	if len(t.runs) == 0 {
		return Question{}, false
	}
	const title = "Are the weights of theorem 1 learned in practice: absolute position in hidden states?"
	change := fmt.Sprintf("Yes takes a run whose R² after any layer is at least %g, and at least %g above the greatest of its "+
		"untrained weights, itself below %g.", positionR2, positionGain, positionR2) + noRule +
		fmt.Sprintf(" The position is used where its directions, taken away, lose %.0f points more of the answers' tokens than moving as far "+
			"at random, and not used where they do not and a new probe keeps at most %.0f %% of R².", 100*positionUsed, 100*eval.Taken)
	if read == 0 {
		return answer(AskTheorem1, title, t.verdict(), fmt.Sprintf("in none of %s does a linear probe read the positions of random tokens with "+
			"R² ≥ %g after some layer; the greatest R² is %.2f.", t.size(), positionR2, greatest), usedPosition(all), change), true
	}
	first := fmt.Sprintf("after some layer a linear probe reads the positions of random tokens with R² ≥ %g in %d of %s: learned in %d, and there "+
		"before training in %d%s.", positionR2, read, t.size(), t.learned, before,
		t.withoutInit(func(m *InsideModel) bool {
			return slices.ContainsFunc(m.Probes, func(p InsideProbe) bool { return p.Tokens == eval.RandomTokens })
		}))
	return answer(AskTheorem1, title, t.verdict(), first, usedPosition(all), change), true
}

// bestProbe is the greatest R² after a layer, of random tokens; unknown where there is none.
func (m *InsideModel) bestProbe(length int) Number {
	best := Unknown
	for _, p := range m.Probes {
		if p.Tokens == eval.RandomTokens && p.Layers > 0 && p.At[length] != nil && !(best >= Number(p.At[length].R2)) {
			best = Number(p.At[length].R2)
		}
	}
	return best
}

// usedPosition says whether the position that probes read is used, in a sentence.
func usedPosition(all []taskRun) string {
	looked, unread, used, unused := 0, 0, 0, 0
	for _, r := range all {
		i := r.Model.CausalWithin(r.lengths)
		if i < 0 {
			continue
		}
		looked++
		read, taken, does := false, false, false
		for _, c := range r.Model.Causal {
			if at := c.At[i]; at != nil && at.R2 >= positionR2 {
				read = true
				taken = taken || at.R2After <= eval.Taken*at.R2
				does = does || at.AblatedControl.Share()-at.Ablated.Share() >= positionUsed
			}
		}
		switch {
		case !read:
			unread++
		case does:
			used++
		case taken:
			unused++
		}
	}
	if looked == 0 {
		return "Whether the position is used was not asked (zoo analyze --causal)."
	}
	text := fmt.Sprintf("In %d of %s answers get worse without the directions in which probes read it after some layer, beyond what as many random "+
		"directions do", used, human.Plural(looked, "model", "models"))
	if unused > 0 {
		text += fmt.Sprintf("; in %d it was taken away, and they do not", unused)
	}
	if open := looked - unread - used - unused; open > 0 {
		text += fmt.Sprintf("; in %d it lies in more directions than were taken", open)
	}
	if unread > 0 {
		text += fmt.Sprintf("; in %d no probe reads it on the task's sequences", unread)
	}
	return text + "."
}

// headTally counts heads that have something.
type headTally struct {
	tally
	heads, have, gained, had int // all; that have it; of these those that had it not before training; that had it then
}

// add counts a run's heads by layer and number: whether they have it now, and had it before (nil where nobody looked).
func (t *headTally) add(r taskRun, now, before map[[2]int]bool) {
	t.runs = append(t.runs, r)
	gained, have := 0, 0
	for head, has := range now {
		t.heads++
		had, known := before[head]
		if had {
			t.had++
		}
		if has {
			have++
			if known && !had {
				gained++
			}
		}
	}
	t.have, t.gained = t.have+have, t.gained+gained
	if gained > 0 {
		t.learned++
	}
	if have == 0 {
		t.never++
	}
}

// text says how many heads have what is said of them.
func (t *headTally) text(what string, looked func(*InsideModel) bool) string {
	if t.have == 0 {
		return fmt.Sprintf("none of %s of %s %s; before training %d did%s.", human.Plural(t.heads, "head", "heads"), t.size(), what, t.had, t.withoutInit(looked))
	}
	return fmt.Sprintf("%d of %s of %s %s; before training %d did, and %d learned to%s.", t.have, human.Plural(t.heads, "head", "heads"), t.size(), what,
		t.had, t.gained, t.withoutInit(looked))
}

func askTheorem2(all []taskRun) (Question, bool) {
	var t headTally
	far, kept := 0, 0
	var both, content, distance []float64
	for _, r := range all {
		i := r.Model.LogitsWithin(r.lengths)
		if i < 0 {
			continue
		}
		for _, l := range r.Model.Logits {
			if at := l.At[i]; at != nil {
				both, content, distance = append(both, at.Both), append(content, at.Content), append(distance, at.Distance)
			}
		}
		now := r.Model.logitForms(i)
		t.add(r, now, r.Init.logitForms(i))
		last := len(r.lengths) - 1
		for last > i && len(r.Model.logitForms(last)) == 0 {
			last--
		}
		for head, has := range r.Model.logitForms(last) {
			if now[head] && r.lengths[last] > r.Model.Trained[1] && last > i {
				far++
				if has {
					kept++
				}
			}
		}
	}
	if len(t.runs) == 0 {
		return Question{}, false
	}
	second := fmt.Sprintf("Over heads, R² has a median of %.2f of both, of %.2f of content and of %.2f of distance alone", median(both), median(content), median(distance))
	if far > 0 {
		second += fmt.Sprintf("; at the greatest length beyond the trained ones %d of %s keep that form", kept, human.Plural(far, "such head", "such heads"))
	}
	second += "."
	what := fmt.Sprintf("have attention logits that content and distance together tell with R² ≥ %g, of which distance adds %g or more to content alone",
		logitsR2, logitsDistance)
	return answer(AskTheorem2, "Are the weights of theorem 2 learned in practice: logits of content plus a term of relative distance?", t.verdict(),
		t.text(what, func(m *InsideModel) bool { return len(m.Logits) > 0 }), second,
		fmt.Sprintf("Yes takes a head that has R² ≥ %g of both, and %g or more above content alone, on random tokens of the greatest trained "+
			"length, which its untrained weights had not.", logitsR2, logitsDistance)+noRule), true
}

// logitForms says by layer and head whether logits are as in theorem 2, where they were looked at; of no model nothing.
func (m *InsideModel) logitForms(length int) map[[2]int]bool {
	out := map[[2]int]bool{}
	if m == nil {
		return out
	}
	for _, l := range m.Logits {
		if at := l.At[length]; at != nil {
			out[[2]int{l.Layer, l.Head}] = at.Both >= logitsR2 && at.Both-at.Content >= logitsDistance
		}
	}
	return out
}

func askPositional(all []taskRun) (Question, bool) {
	var t headTally
	var shares []float64
	excluded := 0
	for _, r := range all {
		i := r.Model.Longest(r.lengths, OnRandom)
		if i < 0 {
			continue
		}
		now := r.Model.positional(i)
		if len(now) == 0 {
			continue
		}
		t.add(r, now, r.Init.positional(i))
		for _, h := range r.Model.Heads {
			if a := h.Random[i]; a != nil && a.Positional != nil {
				shares = append(shares, *a.Positional)
				if *a.Positional >= positionalShare && !now[[2]int{h.Layer, h.Head}] {
					excluded++
				}
			}
		}
	}
	if len(t.runs) == 0 {
		return Question{}, false
	}
	second := fmt.Sprintf("Position explains %.0f %% of a head's variance at most and %.0f %% in the median", 100*max(slices.Max(shares), 0), 100*median(shares))
	if excluded > 0 {
		second += fmt.Sprintf("; not counted: %s at %.0f %% or more without such a role (even, first token, mixed)",
			human.Plural(excluded, "head", "heads"), 100*positionalShare)
	}
	second += "."
	what := fmt.Sprintf("attend to the token before, at a fixed distance or at a fixed position, with ≥ %.0f %% of the variance of their weights on random "+
		"tokens explained by position", 100*positionalShare)
	return answer(AskPositional, "Can NoPE learn purely positional heads?", t.verdict(), t.text(what, func(m *InsideModel) bool {
		return slices.ContainsFunc(m.Heads, func(h InsideHead) bool { return slices.ContainsFunc(h.Random, known) })
	}), second, fmt.Sprintf("Yes takes a head with such a role and a share of %.0f %% or more, on random tokens of the greatest trained length, which its "+
		"untrained weights had not.", 100*positionalShare)+noRule), true
}

func known(a *eval.Attention) bool { return a != nil && a.Positional != nil }

// positional says by layer and head whether heads are purely positional, where that was measured; of no model nothing.
func (m *InsideModel) positional(length int) map[[2]int]bool {
	out := map[[2]int]bool{}
	if m == nil {
		return out
	}
	roles := []string{eval.RolePrevious, eval.RoleOffset, eval.RolePosition}
	for _, h := range m.Heads {
		if a := h.Random[length]; known(a) {
			out[[2]int{h.Layer, h.Head}] = *a.Positional >= positionalShare && slices.Contains(roles, a.Label)
		}
	}
	return out
}
