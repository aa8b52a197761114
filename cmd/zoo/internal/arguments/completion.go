package arguments

import (
	"strings"

	"github.com/spf13/cobra"
)

// Complete offers words for a flag or an argument, one or several with commas. Where none fits, the shell offers
// files if orFiles.
func Complete(words []string, orFiles bool) cobra.CompletionFunc {
	otherwise := cobra.ShellCompDirectiveNoFileComp
	if orFiles {
		otherwise = cobra.ShellCompDirectiveDefault
	}
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return lastOf(words, typed), otherwise
	}
}

// Folders has the shell offer folders.
func Folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// lastOf completes the last of several words with commas.
func lastOf(words []string, typed string) []string {
	var out []string
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, w := range words {
		if strings.HasPrefix(before+w, typed) {
			out = append(out, before+w)
		}
	}
	return out
}
