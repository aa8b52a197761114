package verify

import (
	"context"
	"math"

	"github.com/nopezoo/zoo/runtime"
	"github.com/nopezoo/zoo/tokenizer/hf"
)

// prose is the text whose bits per byte a pretrained model in another precision is compared with float32 on.
const prose = `The harbour froze early that year. By the first week of December the ferries lay at the quay with their engines cold, and the
mail came over the ice on a sledge, drawn by two horses that nobody on the island had seen before. Old Mrs. Lund said that it
had happened twice in her life: once in the winter when her brother was born, and once during the war, when the soldiers walked
home across the sound at night and left their coats on the beach. She told it to anyone who waited at the shop for bread. The
children did not listen. They had found that a plank, turned upside down and rubbed with candle wax, would carry three of them
from the church to the mill without stopping, if the one in front lay flat and the one behind did not scream. In the evening
the lamps were lit at four. There was enough flour, enough coffee and far too much herring; what people missed was news. So
they invented some. It was said that the king had been seen in Hamburg, that the price of wood would double, and that the new
schoolmaster, who had arrived with the last boat and eleven boxes of books, was in fact a poet hiding from his creditors.
`

// text is tokens, and the bytes that they stand for.
type text struct {
	ids   []int64
	bytes int
}

// comparedText is prose as tokens: less of it where no more than most are taken (0: any number), and none without a tokenizer file.
func comparedText(ctx context.Context, tokenizer []byte, most int) (t text, err error) {
	if tokenizer == nil {
		return t, nil
	}
	words, err := hf.New(tokenizer)
	if err != nil {
		return t, err
	}
	for left := prose; len(left) > 1; left = left[:len(left)/2] {
		ids, err := words.Encode(ctx, left)
		if err != nil || len(ids) > 1 && (most == 0 || len(ids) <= most) {
			return text{ids, len(left)}, err
		}
	}
	return t, nil
}

// bits are the bits per byte that a session finds in a text; nil for no text.
func (t text) bits(ctx context.Context, s *runtime.Session) (*float64, error) {
	if len(t.ids) == 0 {
		return nil, nil
	}
	scores, err := s.Score(ctx, [][]int64{t.ids}, []int{1}, nil)
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for _, v := range scores[0] {
		sum -= v / math.Ln2
	}
	sum /= float64(t.bytes)
	return &sum, nil
}
