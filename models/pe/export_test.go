package pe

// At is what a layer has.
func (p Pattern) At(layer int) string { return p.at(layer) }
