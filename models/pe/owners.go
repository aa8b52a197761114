package pe

import "slices"

// owners says whether all layers share weights, with 0, or each of so many has its own, which are
// called as the shared ones behind the layer's prefix.
type owners int

// ownersOf reads the setting shared; absent, it is true.
func ownersOf(shared *bool, layers int) owners {
	if shared == nil || *shared {
		return 0
	}
	return owners(layers)
}

// params lists the weights of all owners.
func (o owners) params(shared []Param) (list []Param) {
	if o == 0 {
		return shared
	}
	for layer := range int(o) {
		own := slices.Clone(shared)
		for i := range own {
			own[i].Name = attentionParam(layer, own[i].Name)
		}
		list = append(list, own...)
	}
	return list
}

// name is the name of a weight in a layer.
func (o owners) name(s *Site, shared string) string {
	if o == 0 {
		return shared
	}
	return attentionParam(s.Layer, shared)
}
