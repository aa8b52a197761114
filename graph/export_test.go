package graph

// Differentiable reports whether an operator has a gradient rule.
func Differentiable(op string) bool { return table[op].vjp != nil }

// Sub returns d − e.
func (d Dim) Sub(e Dim) Dim { return d.sub(e) }

// Div returns d / e, if e divides d.
func (d Dim) Div(e Dim) (Dim, bool) { return d.div(e) }

// Lens returns lengths as an int64 vector.
func (b *Builder) Lens(shape ...Dim) *Node { return b.lens(shape...) }

// Verify runs the shape rules again.
func (g *Graph) Verify() error { return g.verify() }

// Scalar returns a length as a float32 number.
func (b *Builder) Scalar(d Dim) *Node { return b.scalar(d) }
