package task

// needlesKeys is how many codes the text of needles has.
const needlesKeys = 4

// manyNeedles is needle with the codes of other things in the text as well (RULER's needles with several keys).
func manyNeedles() Task {
	return needles("needles", needlesKeys, "find the code of one of four things that are hidden in running text")
}
