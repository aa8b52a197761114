package bench

import (
	"github.com/nopezoo/zoo/eval"
	"github.com/nopezoo/zoo/internal/rowlog"
)

// Log is a file of result rows that grows as cells are finished.
type Log = rowlog.Log[eval.Row]

func rows() rowlog.Format[eval.Row] {
	return rowlog.Format[eval.Row]{Holds: "results", MaxBytes: eval.MaxResults, Read: eval.ReadPartialJSONL, Write: eval.WriteJSONL}
}

// OpenLog opens a file to append to, as rowlog.Open does; "" keeps nothing.
func OpenLog(path string) (*Log, error) { return rowlog.Open(path, rows()) }

// ReadLog reads a log without changing or locking it.
func ReadLog(path string) (*Log, error) { return rowlog.Read(path, rows()) }
