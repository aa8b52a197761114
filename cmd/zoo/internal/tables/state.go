package tables

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/nopezoo/zoo/models"
)

// stateSizes are the sizes of a model whose states tell by their axes what they count: no two sizes
// are alike, and none is as small as an encoding's own constants.
var stateSizes = models.Config{DModel: 42, NLayers: 3, NHeads: 14, DHead: 22, DFF: 10, VocabSize: 7, NUnits: 40}

// stateSymbols are symbols of the sizes, and of products of theirs.
var stateSymbols = map[int]struct {
	times  int
	symbol string
}{42: {1, "D"}, 14: {1, "H"}, 22: {1, "K"}, 2 * 22: {2, "K"}, 7 * 22: {1, "H·K/2"}, 14 * 22: {1, "H·K"}, 3 * 14 * 22: {1, "3·H·K"}, 40: {1, "n"}, 80: {2, "n"}}

// state returns how many floats a model with an encoding keeps of each token, such as
// "2·L·H·K", and in parentheses how many in all, read off the model's states.
func state(encoding string) string {
	cfg := stateSizes
	cfg.Encoding = encoding
	model, err := models.New(cfg)
	if err != nil {
		return "unknown"
	}
	_, states, err := model.Graph(models.Mode{})
	if err != nil {
		return "unknown"
	}
	var perToken, inAll terms
	for _, s := range states {
		var shape []string
		times := 1
		for i, axis := range s.Shape {
			n, err := strconv.Atoi(axis)
			switch symbol, ok := stateSymbols[n]; {
			case err != nil || s.Slotted() && i == s.Axis || n == 1: // the batch, the slots, or no factor
			case ok:
				times *= symbol.times
				shape = append(shape, symbol.symbol)
			default:
				shape = append(shape, axis)
			}
		}
		if s.Slotted() {
			perToken.add(times, strings.Join(shape, "·"))
		} else {
			inAll.add(times, strings.Join(shape, "·"))
		}
	}
	if len(inAll.products) == 0 {
		return perToken.String()
	}
	return fmt.Sprintf("%v (%v in all)", &perToken, &inAll)
}

// terms is a sum of products, each as often as it was added.
type terms struct {
	products []string
	count    map[string]int
}

func (t *terms) add(times int, product string) {
	if t.count[product] == 0 {
		t.products = append(t.products, product)
	}
	if t.count == nil {
		t.count = map[string]int{}
	}
	t.count[product] += times
}

// String writes the sum, and L for the number of layers where a product occurs in each.
func (t *terms) String() string {
	if len(t.products) == 0 {
		return "0"
	}
	var sum []string
	for _, product := range t.products {
		var factors []string
		n := t.count[product]
		if each := n / stateSizes.NLayers; each > 0 && n%stateSizes.NLayers == 0 {
			if each > 1 {
				factors = append(factors, strconv.Itoa(each))
			}
			factors = append(factors, "L")
		} else if n > 1 {
			factors = append(factors, strconv.Itoa(n))
		}
		if product != "" || len(factors) == 0 {
			factors = append(factors, cmp.Or(product, "1"))
		}
		sum = append(sum, strings.Join(factors, "·"))
	}
	return strings.Join(sum, " + ")
}
