package task

import "strings"

// wordCharacters and wordNames are the 100 words of the copy-like tasks, in
// order: the paper's 39 characters and 61 short English words. The paper's own
// words cannot be recovered (they came in hash order, with unscorable special
// pieces among them), so these are ours, and fixed: to change them is to change
// the version of every task that uses them.
const (
	wordCharacters = `1 2 3 4 5 6 7 8 9 A B C D E F G H I J K L M N O P Q R S T U V W Z $ ( * + = >`

	wordNames = `air arm art bag ball bank bed bird boat book box bread bridge car cat city cloud coat ` +
		`corn day dog door ear egg eye farm field fire fish foot glass gold hand hat hill home ` +
		`horse king lake leaf milk moon night paper rain river road room salt sea ship snow stone ` +
		`sun table tree wall water wind wood year`

	// sortNames follow the 33 alphanumerics of wordCharacters in the task
	// "sorting". None is a marker of the scratchpad.
	sortNames = `air ball bird boat car city day fire hand lake moon night rain sun tree water year`
)

// words returns the 100 words, each a single token.
func words() []string { return strings.Fields(wordCharacters + " " + wordNames) }

// sortWords returns the 50 words of the task "sorting" in their order.
func sortWords() []string {
	return append(strings.Fields(wordCharacters)[:33], strings.Fields(sortNames)...)
}
