package catalogue

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Every file comes back as it was, also files of an odd number of bytes, and a damaged one is an error.
func TestPack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 9 {
		file := make([]byte, n)
		for i := range file {
			file[i] = byte(random.Uint32())
		}
		packed, err := pack(file)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := unpack(packed); err != nil || !bytes.Equal(back, file) {
			t.Errorf("%v came back as %v, %v", file, back, err)
		}
		for _, damaged := range [][]byte{nil, packed[:len(packed)-1], append([]byte{0}, packed[1:]...)} {
			if _, err := unpack(damaged); err == nil {
				t.Errorf("%v was unpacked", damaged)
			}
		}
	}
}
