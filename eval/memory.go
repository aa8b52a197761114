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
	Peak() (bytes int64, covers string, err error)
}

// ProcessMemory returns a meter of this process' resident memory in bytes, with the model runtime's and without
// accelerators'. It is an error on systems that do not tell.
func ProcessMemory() (MemoryMeter, error) { return processMeter() }

// endMemory takes down the peak; without a meter there is none.
func (s *Speed) endMemory(m MemoryMeter) (err error) {
	if m != nil {
		s.PeakMemory, s.PeakMemoryOf, err = m.Peak()
	}
	return err
}
