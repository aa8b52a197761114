package zoo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What users read has no "1 rows": numbers stand with their words by human.Plural. Errors that bound a number, and
// numbers of several things, may have them in a format.
func TestPlurals(t *testing.T) {
	counted := regexp.MustCompile(`%d (of %d )?(cells|cores|models|packages|parameters|prompts|rows|runs|samples|steps|tasks|tensors)\b`)
	several := []string{
		"are more than %d runs", "--resume: %d runs in the folder", "%d models need a folder", "%d runs or more", "A no takes %d runs",
		"median of %d runs", "each of %d runs", "none of %d runs",
	}
	for _, folder := range []string{"cmd/zoo", "cmd/zoo/internal/doctor", "experiment/bench", "eval/report", "eval/summary", "cmd/zoo/internal/tables", "cmd/zoo/internal/terminal",
		"experiment/study", "experiment/sweep"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, source, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if ok && text.Kind == token.STRING && counted.MatchString(text.Value) &&
					!slices.ContainsFunc(several, func(s string) bool { return strings.Contains(text.Value, s) }) {
					t.Errorf("%s: %s: write the number with human.Plural", set.Position(text.Pos()), text.Value)
				}
				return true
			})
		}
	}
}
