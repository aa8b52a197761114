package report

import "github.com/nopezoo/zoo/eval/summary"

// Chart is a chart.
type Chart = chart

// Figure is one or several panels.
type Figure = figure

// Encoding is an encoding and its looks.
type Encoding = encoding

// ExactChart is the chart of a task's exact match.
func ExactChart(t *summary.Task) chart { return accuracyChart(t, summary.Exact) }

// TokenChart is the chart of a place's time per new token.
func TokenChart(p summary.Place) chart { return costChart(p, summary.TokenCost) }

// TextCharts are a corpus' charts of every token, of a sliding window and by place.
func TextCharts(t *summary.Text) (every, sliding, places chart) { return textCharts(t) }
