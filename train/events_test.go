package train

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nopezoo/zoo/train/journal"
	"github.com/nopezoo/zoo/train/runfile"
)

// The reader below shares nothing with the writer: its CRC goes bit by bit, and
// it takes Protocol Buffers apart by hand.

// crc32c is the CRC of RFC 3720, appendix B.4: polynomial 0x1EDC6F41, reflected.
func crc32c(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			low := crc & 1
			crc >>= 1
			if low == 1 {
				crc ^= 0x82F63B78
			}
		}
	}
	return ^crc
}

func unmask(masked uint32) uint32 {
	rot := masked - 0xa282ead8
	return rot>>17 | rot<<15
}

func TestIndependentCRC(t *testing.T) {
	ascending := make([]byte, 32)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	// test vectors of RFC 3720, B.4, and the customary check value
	for _, tc := range []struct {
		data []byte
		want uint32
	}{{make([]byte, 32), 0x8A9136AA}, {ascending, 0x46DD794E}, {[]byte("123456789"), 0xE3069283}} {
		if got := crc32c(tc.data); got != tc.want {
			t.Errorf("crc32c(%x) = %08x, want %08x", tc.data, got, tc.want)
		}
	}
}

// event is a parsed event; number fields that were absent are 0.
type event struct {
	wall    float64
	step    int
	version string
	started bool
	values  map[string]float32
	hparams map[string]any
}

type field struct {
	number int
	value  uint64 // of numbers
	data   []byte // of the rest
}

// fields takes a message apart.
func fields(t *testing.T, b []byte) (out []field) {
	t.Helper()
	varint := func() (v uint64) {
		for shift := 0; ; shift += 7 {
			if len(b) == 0 {
				t.Fatal("a number is cut off")
			}
			c := b[0]
			b = b[1:]
			v |= uint64(c&0x7f) << shift
			if c < 0x80 {
				return v
			}
		}
	}
	for len(b) > 0 {
		key := varint()
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			f.value = varint()
		case 1:
			f.value, b = binary.LittleEndian.Uint64(b), b[8:]
		case 2:
			n := varint()
			f.data, b = b[:n], b[n:]
		case 5:
			f.value, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		default:
			t.Fatalf("wire type %d", key&7)
		}
		out = append(out, f)
	}
	return out
}

// readEvents reads an event file and checks every checksum.
func readEvents(t *testing.T, path string) (out []event) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		if unmask(binary.LittleEndian.Uint32(data[8:])) != crc32c(data[:8]) {
			t.Fatal("the checksum of a length is wrong")
		}
		body := data[12 : 12+n]
		if unmask(binary.LittleEndian.Uint32(data[12+n:])) != crc32c(body) {
			t.Fatal("the checksum of an event is wrong")
		}
		data = data[16+n:]
		e := event{values: map[string]float32{}}
		for _, f := range fields(t, body) {
			switch f.number {
			case 1:
				e.wall = math.Float64frombits(f.value)
			case 2:
				e.step = int(f.value)
			case 3:
				e.version = string(f.data)
			case 5:
				for _, value := range fields(t, f.data) {
					v := fields(t, value.data) // tag, simple_value, or tag, tensor, metadata
					if len(v) == 3 {
						e.hparams = readHParams(t, v)
						continue
					}
					e.values[string(v[0].data)] = math.Float32frombits(uint32(v[1].value))
				}
			case 7:
				e.started = fields(t, f.data)[0].value == 1
			}
		}
		out = append(out, e)
	}
	return out
}

// readHParams reads the settings of a session that a value announces to the plugin hparams.
func readHParams(t *testing.T, value []field) map[string]any {
	t.Helper()
	if string(value[0].data) != "_hparams_/session_start_info" || value[1].number != 8 || value[2].number != 9 {
		t.Fatalf("fields %+v are no session of the plugin", value)
	}
	plugin := fields(t, fields(t, value[2].data)[0].data)
	if string(plugin[0].data) != "hparams" {
		t.Errorf("the plugin is %q", plugin[0].data)
	}
	out := map[string]any{}
	for _, start := range fields(t, plugin[1].data) {
		if start.number != 3 {
			t.Fatalf("plugin data %d, want 3, a session's start", start.number)
		}
		for _, entry := range fields(t, start.data) {
			pair := fields(t, entry.data)
			switch v := fields(t, pair[1].data)[0]; v.number {
			case 2:
				out[string(pair[0].data)] = math.Float64frombits(v.value)
			case 3:
				out[string(pair[0].data)] = string(v.data)
			}
		}
	}
	return out
}

// The event files of an interrupted and resumed run say what its metrics say.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 0, 6) // up to step 6, of which a checkpoint of step 4 is left
	if _, err := journal.Cut(dir, 4, 3); err != nil {
		t.Fatal(err)
	}
	write(t, dir, 4, 6)

	files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("event files %v (%v), want 2", files, err)
	}
	slices.Sort(files)
	got := map[string]float32{}
	for i, path := range files {
		all := readEvents(t, path)
		from := []int{1, 5}[i]
		if all[0].version != "brain.Event:2" || !all[1].started || all[1].step != from {
			t.Errorf("%s begins with %+v, %+v; want the version, and a session from step %d", path, all[0], all[1],
				from)
		}
		settings := map[string]any{"encoding": "rope", "task": "copy", "lengths": "1..5", "seed": 3.0, "data_seed": 7.0, "lr": 0.0, "batch": 0.0,
			"steps": 0.0, "provider": "cuda"}
		if diff := cmp.Diff(settings, all[2].hparams); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
		for _, e := range all[3:] {
			if e.wall < all[0].wall || e.step < from {
				t.Errorf("event %+v is before the session's start", e)
			}
			for tag, v := range e.values {
				got[fmt.Sprintf("%s@%d", tag, e.step)] = v
			}
		}
	}
	metrics, err := journal.Read(dir)
	if err != nil || len(metrics.Steps) != 6 || len(metrics.Evaluations) != 2 {
		t.Fatalf("%+v, %v; want 6 steps and 2 evaluations", metrics, err)
	}
	want := map[string]float32{}
	for _, s := range metrics.Steps {
		for tag, v := range map[string]float64{"loss": s.Loss, "gradient_norm": s.GradNorm, "learning_rate": s.LR,
			"tokens_per_second": float64(s.Tokens) / s.Seconds,
			"padding":           float64(s.Slots-s.Tokens) / float64(s.Slots)} {
			want[fmt.Sprintf("%s@%d", tag, s.Step)] = float32(v)
		}
	}
	for _, e := range metrics.Evaluations {
		want[fmt.Sprintf("accuracy/trained@%d", e.Step)] = float32(*e.Accuracy)
		want[fmt.Sprintf("accuracy/trained_sequence@%d", e.Step)] = float32(*e.Sequence)
		if e.Beyond != nil {
			want[fmt.Sprintf("accuracy/beyond@%d", e.Step)] = float32(*e.Beyond)
		}
	}
	close := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6*math.Abs(float64(b))+1e-7 })
	if diff := cmp.Diff(want, got, close); diff != "" {
		t.Errorf("events differ from the metrics (-metrics +events):\n%s", diff)
	}
}

// write notes the steps after from up to to, and an evaluation at every third.
func write(t *testing.T, dir string, from, to int) {
	t.Helper()
	c := runfile.Config{}
	c.Model.Encoding, c.Train.Task, c.Train.Lengths, c.Train.Seed, c.Train.DataSeed = "rope", "copy", "1..5", 3, 7
	w := openMetrics(dir, from, hparamsOf(c, "cuda"), nil)
	accuracy, sequence, beyond := 0.5, 0.25, 0.125
	for step := from + 1; step <= to; step++ {
		s := journal.Stats{Step: step, Loss: 1 / float64(step), LR: float64(step) / 1e4, GradNorm: float64(step), Tokens: 10,
			Slots: 12, Seconds: 0.25}
		if err := w.step(s); err != nil {
			t.Fatal(err)
		}
		if step%3 != 0 {
			continue
		}
		e := journal.Evaluation{Step: step, Accuracy: &accuracy, Sequence: &sequence, Best: step == 3,
			Lengths: []journal.Result{{Length: 2, N: 4, Correct: 2, SequenceCorrect: 1}}}
		if step > 3 {
			e.Beyond = &beyond
		}
		if err := w.evaluation(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
}
