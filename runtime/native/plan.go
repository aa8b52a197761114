package native

import (
	"fmt"

	"github.com/nopezoo/zoo/graph"
)

// maxElements bounds a value, so that a nonsensical length is an error and not a crash.
const maxElements = 1 << 34

// plan gives all values shapes and memory for the axes' lengths, has the kernels prepare,
// and computes what depends on lengths alone.
func (x *executor) plan() error {
	p := x.program
	for i, length := range p.lengths {
		x.sizes[i] = length(x.axes)
	}
	for i := range x.values {
		v := &x.values[i]
		if v.part.when == always {
			continue
		}
		v.size, v.root, v.lent = 1, i, v.part.when == fed
		for k, d := range v.part.dims {
			n := x.sizes[d]
			if n < 0 || n > maxElements {
				return fmt.Errorf("%s: axis %s of %s is %d", v.part.node.Name, v.part.node.Shape[k], v.part.node.Type(), n)
			}
			if n > 0 && v.size > maxElements/n {
				return fmt.Errorf("%s: %s has too many elements here", v.part.node.Name, v.part.node.Type())
			}
			v.shape[k] = n
			v.size *= n
		}
	}
	if err := x.share(); err != nil {
		return err
	}
	if err := x.place(); err != nil {
		return err
	}
	for k := range x.steps {
		s := &x.steps[k]
		v := s.out
		switch root := &x.values[v.root]; {
		case root != v:
			if !root.lent {
				v.slots = root.slots
			}
		case v.part.when == lengths:
			v.own()
		case !v.lent:
			x.memory.give(v)
		}
		err := s.kernel.prepare(s)
		if err == nil && v.part.when == lengths {
			err = s.kernel.run(s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v.part.node.Name, err)
		}
	}
	return nil
}

// own gives a value memory of its own, which stays from run to run.
func (v *value) own() {
	v.mine.enlarge(v.kind(), v.size)
	v.slots = v.mine.cut(v.kind(), 0, v.size)
}

// share finds which values lie in whose memory, and who reads it last.
func (x *executor) share() error {
	p := x.program
	x.follow = x.follow[:0]
	for i := range x.values {
		x.ends[i] = i
	}
	for k := range x.steps {
		s := &x.steps[k]
		i := s.out.part.number
		if graph.SharesInput(s.out.part.node.Op) {
			if s.in[0].size != s.out.size {
				return fmt.Errorf("%s: %v does not fit %s, which is %v here", s.out.part.node.Name, s.in[0].shape,
					s.out.part.node.Type(), s.out.shape)
			}
			s.out.root = s.in[0].root
		} else if v, may := s.kernel.(viewer); may && v.views(s) {
			s.out.root = s.in[0].root
		}
		if s.out.part.when == each { // else it reads before a run, or lengths alone
			for _, in := range s.in {
				x.ends[in.root] = i
			}
		}
		x.ends[s.out.root] = i
	}
	for _, at := range p.outputs {
		v := &x.values[at]
		root := &x.values[v.root]
		root.lent = root.lent || root.part.when == each
		x.ends[v.root] = unending
	}
	for i := range x.values {
		if v := &x.values[i]; v.root != i && x.values[v.root].lent {
			x.follow = append(x.follow, i)
		}
	}
	return nil
}

// place lays the values of a run out in memory, each from its step to the last one that
// reads it.
func (x *executor) place() error {
	x.memory.begin()
	for k := range x.steps {
		s := &x.steps[k]
		i := s.out.part.number
		if s.out.part.when != each {
			continue
		}
		if s.out.root == i && x.held(i) && !x.takeOver(s) {
			x.memory.take(s.out)
		}
		for _, v := range s.in {
			x.release(v.root, i)
		}
		x.release(s.out.root, i)
	}
	return x.memory.end()
}

// release frees the place of a memory that step i reads last.
func (x *executor) release(root, i int) {
	if x.ends[root] == i && x.held(root) {
		x.memory.free(&x.values[root])
		x.ends[root] = -1
	}
}

// takeOver gives a value the place of an operand that nothing reads later, where the
// kernel can do with that.
func (x *executor) takeOver(s *step) bool {
	over, may := s.kernel.(overwriter)
	if !may {
		return false
	}
	i := s.out.part.number
	for k, in := range s.in {
		root := &x.values[in.root]
		if over.overwrites(s, k) && x.ends[in.root] == i && x.held(in.root) && root.size == s.out.size && root.kind() == s.out.kind() {
			s.out.at = root.at
			x.ends[in.root] = -1
			return true
		}
	}
	return false
}
