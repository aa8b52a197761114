package hf

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/nopezoo/zoo/card"
	"github.com/nopezoo/zoo/internal/files"
	"github.com/nopezoo/zoo/tokenizer"
)

// generationFile is the file whose tokens that end a text win over those of config.json.
const generationFile = "generation_config.json"

// origin is where the model of a folder comes from, and its tokenizer.json, nil where there is none.
func (d document) origin(dir string) (*card.Pretrained, []byte, error) {
	absolute, err := filepath.Abs(dir) // "." has a name too
	if err != nil {
		return nil, nil, err
	}
	p := &card.Pretrained{Source: filepath.Base(absolute)}
	_ = json.Unmarshal(d[typeKey], &p.Family)
	for _, key := range []string{"max_position_embeddings", "n_positions", "max_seq_len"} {
		if d.has(key) && json.Unmarshal(d[key], &p.DeclaredLength) == nil {
			break
		}
	}
	var generation document
	if err := readJSON(filepath.Join(dir, generationFile), &generation); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, from := range []document{generation, d} {
		if p.Ends, err = from.ends(); err != nil || len(p.Ends) > 0 {
			break
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	if p.Chat, err = readChat(dir); err != nil {
		return nil, nil, err
	}
	tokenizer, err := files.ReadRegular(filepath.Join(dir, tokenizer.File), maxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil, nil
	}
	if err == nil {
		p.TokenizerSHA256 = fmt.Sprintf("%x", sha256.Sum256(tokenizer))
	}
	return p, tokenizer, err
}

// ends are the tokens that end a text: a number, or a list of numbers.
func (d document) ends() ([]int64, error) {
	const key = "eos_token_id"
	if !d.has(key) {
		return nil, nil
	}
	var one int64
	if json.Unmarshal(d[key], &one) == nil {
		return []int64{one}, nil
	}
	var all []int64
	if err := json.Unmarshal(d[key], &all); err != nil {
		return nil, fmt.Errorf("%s is %s: want a token's number, or a list of them", key, clip(d[key]))
	}
	return all, nil
}

// tokenizerWith reads the tokenizer.json of a folder, which has a hash; nil without a hash.
func tokenizerWith(dir, hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	path := filepath.Join(dir, tokenizer.File)
	text, err := files.ReadRegular(path, maxJSON)
	if err == nil && fmt.Sprintf("%x", sha256.Sum256(text)) != hash {
		err = fmt.Errorf("%s is not the one that came with the model, with the SHA-256 %s", path, hash)
	}
	return text, err
}
