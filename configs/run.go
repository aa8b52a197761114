package configs

import (
	"encoding/json"

	"github.com/spf13/viper"

	"github.com/nopezoo/zoo/train/runfile"
)

// readRun returns the settings of a run as a layer, without threads and lanes, which belong to a
// machine, and without its encoding's own settings, which the layers keep apart (see settings).
// A nil task is the run's; another has its own lengths.
func (l *Layers) readRun(dir string, task any) ([]*layer, error) {
	c, err := runfile.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if params := c.Model.EncodingParams; len(params) > 0 {
		if err := json.Unmarshal(params, &l.own); err != nil {
			return nil, err
		}
	}
	l.encoding, l.run = c.Model.Encoding, c.Model.Name()
	c.From, c.Model.EncodingParams, c.Train.Threads, c.Train.Lanes = nil, nil, 0, 0
	data, err := json.Marshal(c) // which is YAML too
	if err != nil {
		return nil, err
	}
	x, err := readYAML("run "+dir, data, false)
	if err != nil {
		return nil, err
	}
	x.any = true
	x.leaveLengths(task)
	return []*layer{x}, nil
}

// settings returns the merged values for an encoding. For the encoding of the run in the
// preset's place, the run's own settings of it are the defaults.
func (l *Layers) settings(encoding string) (map[string]any, error) {
	if l.own == nil || encoding != l.encoding {
		return l.merged.AllSettings(), nil
	}
	both := viper.New()
	for key, value := range l.own {
		both.SetDefault(sectionParam+"."+key, value)
	}
	err := both.MergeConfigMap(l.merged.AllSettings())
	return both.AllSettings(), err
}
