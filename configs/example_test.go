package configs_test

import (
	"fmt"

	"github.com/nopezoo/zoo/configs"
)

func ExampleLoad() {
	layers, err := configs.Load(configs.Sources{
		Preset:  "tiny",
		Environ: []string{"ZOO_TRAIN_SEED=7"},
		Overrides: []configs.Value{{Key: "model.encoding", Value: "rope"},
			{Key: "train.steps", Value: "100", From: "--steps"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := layers.Config("")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range configs.Settings(c) {
		switch s.Key {
		case "model.encoding", "model.d_model", "model.d_head", "train.seed", "train.steps":
			fmt.Printf("%s = %s\n", s.Key, s.Text)
		}
	}
	_, err = configs.Load(configs.Sources{Overrides: []configs.Value{{Key: "train.stepz", Value: 100}}})
	fmt.Println(err)
	// Output:
	// model.encoding = rope
	// model.d_model = 96
	// model.d_head = 24
	// train.seed = 7
	// train.steps = 100
	// override train.stepz=100: unknown key "train.stepz"; did you mean "train.steps"?
}

func ExampleDifference() {
	layers, err := configs.Load(configs.Sources{Preset: "tiny"})
	if err != nil {
		fmt.Println(err)
		return
	}
	was, err := layers.Config("")
	if err != nil {
		fmt.Println(err)
		return
	}
	now := was
	now.Train.Steps, now.Train.LR = 100, 0.5
	fmt.Println(configs.Difference(was, now))
	// Output: train.steps was 2600, now 100; train.lr was 0.002, now 0.5
}

func ExampleDescribe() {
	about, err := configs.Describe(configs.Presets, "tiny")
	fmt.Println(about.Description, len(about.Text) > 0, err)
	// Output: learns to copy up to 20 words in a minute and a half on two cores. true <nil>
}
