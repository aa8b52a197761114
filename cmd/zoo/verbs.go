package main

import "github.com/spf13/cobra"

// verbs is the table of verbs. A verb costs a file, a text in help, a script in testdata/script
// and a row here.
func verbs() []func(*app) *cobra.Command {
	return []func(*app) *cobra.Command{
		setupVerb,
		doctorVerb,
		trainVerb,
		sweepVerb,
		studyVerb,
		exportVerb,
		importVerb,
		benchVerb,
		analyzeVerb,
		reportVerb,
		generateVerb,
		listVerb,
		dataVerb,
		inspectVerb,
		catalogueVerb,
		constructVerb,
		completionVerb,
		versionVerb,
		serveVerb,
	}
}
