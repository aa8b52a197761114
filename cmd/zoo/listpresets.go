package main

import (
	"fmt"
	"strings"

	"github.com/nopezoo/zoo/configs"
)

func listPresets(*app, listOptions) (any, [][]string, error) {
	type entry struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	list, lines := []entry{}, [][]string{}
	for _, name := range configs.Names() {
		data, err := configs.Read(name)
		if err != nil {
			return nil, nil, err
		}
		e := entry{name, presetComment(string(data), name)}
		list, lines = append(list, e), append(lines, []string{e.Name, e.Description})
	}
	return list, lines, nil
}

// showPreset writes the preset of "presets NAME" as it is, with its comments.
func (a *app) showPreset(args []string, asJSON bool) error {
	name := args[1]
	if args[0] != "presets" {
		return fmt.Errorf("unexpected argument %q: zoo list %s takes no name; see: zoo list --help", name, args[0])
	}
	if err := oneOf("preset", name, configs.Names()...); err != nil {
		return err
	}
	data, err := configs.Read(name)
	if err != nil {
		return err
	}
	if asJSON {
		return a.json(map[string]string{"name": name, "description": presetComment(string(data), name), "text": string(data)})
	}
	_, err = a.stdout.Write(data)
	return err
}

// presetComment returns the comment at the head of a preset without its name.
func presetComment(text, name string) string {
	var out []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			break
		}
		out = append(out, strings.TrimSpace(comment))
	}
	return strings.TrimPrefix(strings.Join(out, " "), name+": ")
}
