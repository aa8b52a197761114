package task

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// needleFiller is what stands around needles, keys and chains: nothing in it is a number.
var needleFiller = []string{
	"The boats leave the harbour before the sun is up.",
	"A small bell hangs above the door of the bakery.",
	"In winter the road over the hill is closed for weeks.",
	"Most of the houses have a garden and a low stone wall.",
	"The old mill has not turned since the river changed its bed.",
	"On market days the square is full of people and carts.",
	"Some children learn to sail before they learn to read.",
	"The teacher keeps a box of shells on her desk.",
	"When the fog comes in, nobody can see the lighthouse.",
	"Bread is cheap here, but apples must come from far away.",
	"The postman knows every dog in the valley by its name.",
	"After the storm they found a chair on top of the church.",
	"Two brothers repair nets behind the last house of the village.",
	"In spring the meadows are blue with small flowers.",
	"The train stops at the station only if somebody waves.",
	"Nobody remembers who planted the trees along the canal.",
	"The doctor visits the island when the sea is calm.",
	"At night one hears the water and sometimes an owl.",
	"The library has more maps than novels.",
	"Every summer a painter rents the room under the roof.",
}

// The things that needles tell the codes of. A code has seven digits, of which the first is no 0.
var (
	needleColours = []string{"red", "green", "blue", "white", "black", "brown", "grey", "yellow"}
	needleThings  = []string{"lamp", "chest", "door", "wagon", "tower", "basket", "clock", "bridge", "boat", "barn", "kettle", "ladder"}
)

const needleFirst, needleCodes = 1000000, 9000000

// needleFact, needleQuestion and needleLead name a thing.
const (
	needleFact     = "The code of the %s is %d."
	needleQuestion = "What is the code of the %s?"
	needleLead     = "The code of the %s is"
)

// needle hides the code of one thing in running text, as the single needles of Hsieh et al. 2024 (RULER: What's the Real Context Size of
// Your Long-Context Language Models?, arXiv 2404.06654). The words and the filler are ours.
//
//	Remember the codes in this text. The boats leave the harbour before the sun is up. The code of the red lamp is
//	4718203. What is the code of the red lamp? The code of the red lamp is ⏵ 4718203.
func needle() Task {
	return needles("needle", 1, "find the code of a thing that is hidden in running text")
}

// needles hides the codes of several things and asks for one.
func needles(name string, count int, description string) Task {
	h := hidden{Opening: "Remember the codes in this text.", Filler: needleFiller, Right: sameNumber,
		Draw: func(rng *rand.Rand) secret {
			var names []string
			var s secret
			for len(names) < count {
				name := needleColours[rng.IntN(len(needleColours))] + " " + needleThings[rng.IntN(len(needleThings))]
				if slices.Contains(names, name) {
					continue
				}
				names = append(names, name)
				code := needleFirst + rng.IntN(needleCodes)
				s.Facts = append(s.Facts, fmt.Sprintf(needleFact, name, code))
				if len(names) == 1 {
					s.Question, s.Lead, s.Answer = fmt.Sprintf(needleQuestion, name), fmt.Sprintf(needleLead, name), strconv.Itoa(code)
				}
			}
			return s
		}}
	things := float64(len(needleColours) * len(needleThings))
	return hide(Task{
		Name:        name,
		Description: description + "; the length is the number of sentences of filler",
		Texts: []string{strings.Join(slices.Concat([]string{h.Opening}, needleFiller, needleColours, needleThings), " ") +
			fmt.Sprintf(" "+needleFact+" "+needleQuestion+" "+needleLead+" 1 2 3 4 5 6 7 8 9.", "lamp", 11234567890, "lamp", "lamp")},
		Space:  func(length int) float64 { return things * needleCodes * float64(length+1) },
		Chance: func(int) float64 { return 1.0 / needleCodes },
	}, h)
}
