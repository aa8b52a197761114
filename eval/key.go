package eval

// Key is what makes a measurement the one that it is. Two rows with the same key
// repeat each other, times aside.
type Key struct {
	Schema           int // of a row with samples; 0 for speed alone
	Measure          string
	ModelSHA256      string // the file's, so of one profile
	Profile          string
	Provider         string
	Threads          int
	Machine          string
	Batch            int
	Task             string
	TaskVersion      int
	Split            string
	Seed             uint64
	Length           int
	LengthMin        int // of a bin; 0 for a single length
	LongestWindow    int // of running text
	Depth            int // and 1; 0 for none
	N                int // samples asked for
	Warmup, Repeats  int
	Chunk, NewTokens int // of a measurement of speed; 0 else
}

// Key returns the row's key. A row without measurements stands for any number of
// samples and repeats, and has zeros for them.
func (r *Row) Key() Key {
	k := Key{
		Measure: r.measure(), ModelSHA256: r.ModelSHA256, Profile: r.Profile, Provider: r.Provider,
		Threads: r.Threads, Machine: r.Machine, Batch: r.Batch, Task: r.Task,
		TaskVersion: r.TaskVersion, Split: r.Split, Seed: r.Seed, Length: r.Length,
		LengthMin: r.LengthMin, LongestWindow: r.LongestWindow,
	}
	if k.Measure == MeasureAccuracy {
		k.Schema = r.Schema
	}
	if r.Depth != nil {
		k.Depth = *r.Depth + 1
	}
	if r.scored() {
		k.N = r.Asked
	}
	if r.Text != nil {
		k.N = r.Text.Asked
	}
	if r.Timed() {
		k.Warmup, k.Repeats = r.Warmup, max(r.Repeats, 1)
	}
	if r.Timed() && k.Measure == MeasureSpeed {
		k.Chunk, k.NewTokens = r.Chunk, r.NewTokens
	}
	return k
}

// Finder returns a function that finds the row that measuring a key would give again, except for the times; nil for
// none. Of several rows with one key the last counts.
func Finder(rows []Row) func(Key) *Row {
	index := map[Key]*Row{}
	for i := range rows {
		index[rows[i].Key()] = &rows[i]
	}
	for i := range rows { // a row with times has all that one without them has
		k := rows[i].Key()
		if k.Warmup, k.Repeats = 0, 0; k.Measure == MeasureAccuracy && index[k] == nil {
			index[k] = &rows[i]
		}
	}
	return func(k Key) *Row {
		if r := index[k]; r != nil {
			return r
		}
		k.N, k.Warmup, k.Repeats, k.Chunk, k.NewTokens = 0, 0, 0, 0, 0
		return index[k] // without measurements
	}
}
