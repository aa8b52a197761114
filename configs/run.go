package configs

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/nopezoo/zoo/modelfile/hf"
	"github.com/nopezoo/zoo/models"
	"github.com/nopezoo/zoo/train/runfile"
)

// readRun returns the settings of a run as a layer, without threads and lanes, which belong to a
// machine, and without its encoding's own settings, which the layers keep apart (see settings).
// A nil task is the run's; another has its own lengths.
func (l *layers) readRun(dir string, task any) ([]*layer, error) {
	c, err := runfile.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	c.Train.Threads, c.Train.Lanes = 0, 0
	x, err := l.readModel("run "+dir, c.Model, map[string]any{"train": c.Train})
	if err != nil {
		return nil, err
	}
	x.leaveLengths(task)
	return []*layer{x}, nil
}

// readWeights returns the layers of the preset, with the model of a folder or file of weights in its model's place.
func (l *layers) readWeights(path string, task any) ([]*layer, error) {
	preset, err := readPreset(l.Preset, task)
	if err != nil {
		return nil, err
	}
	for _, x := range preset {
		maps.DeleteFunc(x.values, func(key string, _ any) bool { return strings.HasPrefix(key, "model.") })
	}
	m, err := hf.Describe(path)
	if err != nil {
		return nil, err
	}
	x, err := l.readModel("the model "+path, m.Config, map[string]any{})
	return append(preset, x), err
}

// readModel returns a model's settings, and others beside them, as a layer.
func (l *layers) readModel(name string, c models.Config, sections map[string]any) (*layer, error) {
	if params := c.EncodingParams; len(params) > 0 {
		if err := json.Unmarshal(params, &l.own); err != nil {
			return nil, err
		}
	}
	l.encoding, l.run = c.Encoding, c.Name()
	c.EncodingParams = nil
	sections["model"] = c
	data, err := json.Marshal(sections) // which is YAML too
	if err != nil {
		return nil, err
	}
	x, err := readYAML(name, data, false)
	if err == nil {
		x.any = true
	}
	return x, err
}

// settings returns the merged values for an encoding. For the encoding of the model of Sources.From its own
// settings there are the defaults.
func (l *layers) settings(encoding string) map[string]any {
	all := l.merged.AllSettings()
	if l.own != nil && encoding == l.encoding {
		model, _ := all["model"].(map[string]any)
		given, _ := model["encoding_params"].(map[string]any)
		model["encoding_params"] = Over(l.own, given)
	}
	return all
}

// Over returns values with others in their place, section by section.
func Over(values, others map[string]any) map[string]any {
	out := maps.Clone(values)
	for key, value := range others {
		below, isSection := out[key].(map[string]any)
		if above, ok := value.(map[string]any); ok && isSection {
			value = Over(below, above)
		}
		out[key] = value
	}
	return out
}
