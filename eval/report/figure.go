package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nopezoo/zoo/eval/summary"
	"github.com/nopezoo/zoo/eval/task"
)

// figure is panels for a paper with one legend above, in the page's light colours and shapes.
type figure struct {
	Name          string    // fit for a file
	width, height vg.Length // of a panel
	panels        []panel
	across        int // panels in a line
	legend        []name
}

// legendHeight is the height of a line of a legend.
const legendHeight = vg.Length(16)

// size is the size of the figure, and the lines of its legend.
func (f figure) size() (width, height vg.Length, legend [][]name) {
	width = f.width * vg.Length(f.across)
	x := vg.Length(0)
	for _, n := range f.legend {
		if len(legend) == 0 || x+n.legendWidth() > width-2*margin {
			legend, x = append(legend, nil), 0
		}
		legend[len(legend)-1], x = append(legend[len(legend)-1], n), x+n.legendWidth()
	}
	down := (len(f.panels) + f.across - 1) / f.across
	return width, f.height*vg.Length(down) + legendHeight*vg.Length(len(legend)), legend
}

func (n name) legendWidth() vg.Length {
	return 30 + textStyle(ink, draw.XLeft, draw.YCenter).Width(n.text)
}

func (f figure) draw(c draw.Canvas) {
	_, _, legend := f.size()
	top := c.Max.Y
	for _, line := range legend {
		left := vg.Point{X: c.Min.X + 2*margin, Y: top - legendHeight/2}
		for _, n := range line {
			n.drawKey(c, vg.Point{X: left.X + 7, Y: left.Y}, 7)
			c.FillText(textStyle(ink, draw.XLeft, draw.YCenter), vg.Point{X: left.X + 18, Y: left.Y}, n.text)
			left.X += n.legendWidth()
		}
		top -= legendHeight
	}
	for i, p := range f.panels {
		place := c
		place.Min = vg.Point{X: c.Min.X + f.width*vg.Length(i%f.across), Y: top - f.height*vg.Length(i/f.across+1)}
		place.Max = vg.Point{X: place.Min.X + f.width, Y: place.Min.Y + f.height}
		p.draw(place)
	}
}

// dpi of PNG figures.
const dpi = 200

// The font of SVG figures, and fonts as wide for machines that lack it. The font inside would add half a megabyte.
const (
	svgFont  = "font-family:Liberation Sans;"
	svgFonts = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
)

// Write writes the figure as "svg", "png" or "pdf". The same study gives the same bytes.
func (f figure) Write(w io.Writer, format string) error {
	width, height, _ := f.size()
	switch format {
	case "svg":
		c := vgsvg.New(width, height)
		f.draw(draw.New(c))
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		_, err := w.Write(bytes.ReplaceAll(bytes.Map(printable, b.Bytes()), []byte(svgFont), []byte(svgFonts)))
		return err
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
		f.draw(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	case "pdf":
		return f.writePDF(w)
	}
	return fmt.Errorf("report: unknown figure format %q; known: svg, png, pdf", format)
}

// printable leaves out characters that XML cannot hold; names in results may have them.
func printable(r rune) rune {
	if r != '\n' && r != '\t' && (r < ' ' || r == '\uFFFE' || r == '\uFFFF') {
		return -1
	}
	return r
}

// Figures lists the charts of the page that have something in them.
func (s *Report) Figures() []figure {
	var out []figure
	for _, t := range s.Tasks {
		if t.Scored {
			out = append(out, s.accuracyFigure(t))
		}
		for i, p := range t.Places {
			name := fileName(t.Name)
			if len(t.Places) > 1 {
				name += "-place" + strconv.Itoa(i+1)
			}
			for _, m := range s.Metrics {
				if t.Scored && !severalLengths(p) {
					continue // no curves
				}
				costs := costChart(p, m.Key)
				if costs.Bottom == 0 {
					costs.Top *= 1.05
				}
				out = append(out, s.lineFigure("cost-"+m.Key+"-"+name, m.Label+", "+m.Unit, t, costs))
			}
			out = append(out, s.tradeoffFigure(t, p, name))
		}
		out = append(append(out, depthFigures(t)...), s.publishedFigure(t))
	}
	for _, t := range s.Texts {
		out = append(out, s.textFigures(t)...)
	}
	out = append(out, s.rankFigure(), heatFigure("heatmap", s.HeatMap))
	return distinctNames(drawable(append(out, s.insideFigures()...)))
}

// severalLengths reports whether costs of a place are of more than one length.
func severalLengths(p summary.Place) bool {
	seen := map[task.Span]bool{}
	for _, s := range p.Series {
		for _, c := range s.Costs {
			seen[c.Length] = true
		}
	}
	return len(seen) > 1
}

// drawable leaves out figures without marks.
func drawable(figures []figure) []figure {
	return slices.DeleteFunc(figures, func(f figure) bool { return !slices.ContainsFunc(f.panels, panel.marked) })
}

// distinctNames numbers figures whose names would be one file.
func distinctNames(figures []figure) []figure {
	seen := map[string]bool{}
	for i := range figures {
		name := figures[i].Name
		for n := 2; seen[figures[i].Name]; n++ {
			figures[i].Name = fmt.Sprintf("%s-%d", name, n)
		}
		seen[figures[i].Name] = true
	}
	return figures
}

// fileName keeps letters and digits of a name, as many as every system takes.
func fileName(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
	const most = 100
	name = strings.Join(words, "-")
	return name[:min(most, len(name))]
}
