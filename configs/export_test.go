package configs

import "github.com/nopezoo/zoo/train/runfile"

// Origin returns where the value of a key came from, in the words of messages:
// "preset tiny", "config file my.yaml", "environment variable ZOO_TRAIN_STEPS", or
// the From of an override. It is "default" where no layer gives the key.
func (l *layers) Origin(key string) string {
	if g := l.given[key]; g.layer != nil {
		return g.name
	}
	return "default"
}

// Preset returns the resolved configuration of a preset.
func Preset(name string) (runfile.Config, error) {
	l, err := Load(Sources{Preset: name})
	if err != nil {
		return runfile.Config{}, err
	}
	return l.Config("")
}
