package eval

// What a peak of memory covers.
const (
	PeakOfLength  = "length"  // the generation of one length
	PeakOfProcess = "process" // everything since the process started
)

// MemoryMeter measures peak memory. Reset starts a measurement, Peak ends it and
// says what it covers, PeakOfLength or PeakOfProcess.
type MemoryMeter interface {
	Reset()
	Peak() (bytes int64, of string, err error)
}
