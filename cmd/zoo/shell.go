package main

import "github.com/nopezoo/zoo/sweep/slurm"

// shellWord quotes an argument where a shell would take it apart.
func shellWord(s string) string { return slurm.Quote(s) }
