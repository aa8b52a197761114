package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/nopezoo/zoo/internal/wrap"
	"github.com/nopezoo/zoo/tokenizer"
)

// The files next to a model that are read, and the most bytes of one.
const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
	genaiFile      = "genai_config.json"
	mostSettings   = 1 << 20
)

// Folder returns where the files are that belong to a model file, nil for "": its folder, or the one around
// that where a repository keeps its models in a folder "onnx".
func Folder(path string) fs.FS {
	if path == "" {
		return nil
	}
	dir := filepath.Dir(path)
	if !exists(os.DirFS(dir), configFile) && filepath.Base(absolute(dir)) == "onnx" {
		if around := filepath.Dir(absolute(dir)); exists(os.DirFS(around), configFile) {
			dir = around
		}
	}
	folder := os.DirFS(dir)
	if own := strings.TrimSuffix(filepath.Base(path), ".onnx") + "." + tokenizer.File; exists(folder, own) {
		return ownTokenizer{folder, own}
	}
	return folder
}

// ownTokenizer is a folder in which a file of another name, that of one model among several, is its tokenizer.json.
type ownTokenizer struct {
	fs.FS
	name string
}

func (o ownTokenizer) Open(name string) (fs.File, error) {
	if name == tokenizer.File {
		name = o.name
	}
	return o.FS.Open(name)
}

// File returns the path of the model file in a folder as others lay it out: model.onnx, or
// onnx/model.onnx. ok is false where there is neither.
func File(dir string) (path string, ok bool) {
	for _, name := range []string{"model.onnx", "onnx/model.onnx"} {
		if exists(os.DirFS(dir), name) {
			return filepath.Join(dir, filepath.FromSlash(name)), true
		}
	}
	return "", false
}

func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

func exists(folder fs.FS, name string) bool {
	info, err := fs.Stat(folder, name)
	return err == nil && info.Mode().IsRegular()
}

// settings is what the files next to a model say of it; zeros where they do not.
type settings struct {
	kind         string // such as "llama"
	heads, width int    // of a cache
	positions    int    // that the model has at most
	window       window // that some layers see
	vocabulary   int
	ends         []int64
	names        inputNames
	out          outputNames
}

// inputNames and outputNames are what genai_config.json calls them.
type inputNames struct {
	InputIDs      string `json:"input_ids"`
	AttentionMask string `json:"attention_mask"`
	PositionIDs   string `json:"position_ids"`
	PastKeys      string `json:"past_key_names"`
	PastValues    string `json:"past_value_names"`
}

type outputNames struct {
	Logits        string `json:"logits"`
	PresentKeys   string `json:"present_key_names"`
	PresentValues string `json:"present_value_names"`
}

// readSettings reads the files that are there. One that is not JSON is an error.
func readSettings(beside fs.FS) (settings, error) {
	var s settings
	if beside == nil {
		return s, nil
	}
	var config, generation object
	var genai struct {
		Model struct {
			Type          string          `json:"type"`
			ContextLength float64         `json:"context_length"`
			VocabSize     float64         `json:"vocab_size"`
			EOS           json.RawMessage `json:"eos_token_id"`
			Decoder       struct {
				HeadSize      float64 `json:"head_size"`
				KeyValueHeads float64 `json:"num_key_value_heads"`
				Window        struct {
					Tokens float64 `json:"window_size"`
				} `json:"sliding_window"`
				Inputs  inputNames  `json:"inputs"`
				Outputs outputNames `json:"outputs"`
			} `json:"decoder"`
		} `json:"model"`
	}
	err := errors.Join(readJSON(beside, configFile, &config), readJSON(beside, generationFile, &generation),
		readJSON(beside, genaiFile, &genai))
	if err != nil {
		return s, err
	}
	s.readConfig(config)
	g := genai.Model
	s.names, s.out = g.Decoder.Inputs, g.Decoder.Outputs
	for _, v := range []struct {
		at *int
		is float64
	}{{&s.positions, g.ContextLength}, {&s.vocabulary, g.VocabSize}, {&s.heads, g.Decoder.KeyValueHeads},
		{&s.width, g.Decoder.HeadSize}} {
		*v.at = cmp.Or(*v.at, count(v.is))
	}
	if s.window.tokens == 0 {
		s.window = window{count(g.Decoder.Window.Tokens), genaiFile}
	}
	s.kind = cmp.Or(s.kind, g.Type)
	for _, ids := range []json.RawMessage{generation["eos_token_id"], config["eos_token_id"], g.EOS} {
		if s.ends, err = tokens(ids); err != nil {
			return s, fmt.Errorf("eos_token_id beside the model file: %w", err)
		} else if len(s.ends) > 0 {
			break
		}
	}
	return s, nil
}

func (s *settings) readConfig(c object) {
	if text, ok := c["text_config"]; ok { // of models that also see
		var inner object
		if json.Unmarshal(text, &inner) == nil {
			for key, value := range inner {
				if _, taken := c[key]; !taken {
					c[key] = value
				}
			}
		}
	}
	_ = json.Unmarshal(c["model_type"], &s.kind) // what is no text is no name
	queries := c.number("num_attention_heads", "n_head", "num_heads", "n_heads")
	s.heads = c.number("num_key_value_heads", "num_kv_heads")
	if s.heads == 0 {
		s.heads = queries
		if string(c["multi_query"]) == "true" {
			s.heads = 1
		}
	}
	if s.width = c.number("head_dim"); s.width == 0 && queries > 0 {
		s.width = c.number("hidden_size", "n_embd", "d_model") / queries
	}
	s.positions = c.number("n_positions", "max_position_embeddings", "max_seq_len", "n_ctx")
	s.vocabulary = c.number("vocab_size")
	s.window = window{c.windowed(), configFile}
}

// object is a JSON object whose values are not looked at yet.
type object map[string]json.RawMessage

// number returns the first of the keys that has one of 1 or more, else 0.
func (o object) number(keys ...string) int {
	for _, key := range keys {
		var v float64
		if json.Unmarshal(o[key], &v) == nil && count(v) > 0 {
			return count(v)
		}
	}
	return 0
}

// count returns a number of things, 0 for what is none.
func count(v float64) int {
	if v < 1 || v > math.MaxInt32 || v != math.Trunc(v) {
		return 0
	}
	return int(v)
}

// tokens reads one token id, or a list of them.
func tokens(raw json.RawMessage) ([]int64, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one int64
	if json.Unmarshal(raw, &one) == nil {
		return []int64{one}, nil
	}
	var list []int64
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s is neither a token id nor a list of them", raw)
	}
	return list, nil
}

// readJSON reads a file, if it is there.
func readJSON(folder fs.FS, name string, to any) error {
	info, err := fs.Stat(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostSettings) {
		err = fmt.Errorf("it is no regular file of at most %d bytes", mostSettings)
	}
	var data []byte
	if err == nil {
		data, err = fs.ReadFile(folder, name)
	}
	if err == nil {
		err = json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), to)
	}
	return wrap.Error(err, "%s beside the model file", name)
}
