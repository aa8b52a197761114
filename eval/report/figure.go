package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/nopezoo/zoo/eval/summary"
)

// Figure is one chart of a study for a paper: on white, with the page's colours
// and shapes, and no title.
type Figure struct {
	Name          string // fit for a file
	width, height vg.Length
	draw          func(draw.Canvas)
}

// dpi of PNG figures.
const dpi = 200

// The font of SVG figures: the one that they were laid out with, or where it is not
// installed one as wide (Arial, Helvetica). With the font inside, a file would be
// half a megabyte larger.
const (
	svgFont  = "font-family:Liberation Sans;"
	svgFonts = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
)

// Write writes the figure as "svg" or "png". The same study gives the same bytes.
func (f Figure) Write(w io.Writer, format string) error {
	switch format {
	case "svg":
		c := vgsvg.New(f.width, f.height)
		f.draw(draw.New(c))
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		_, err := w.Write(bytes.ReplaceAll(bytes.Map(printable, b.Bytes()), []byte(svgFont), []byte(svgFonts)))
		return err
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
		f.draw(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("report: unknown figure format %q; known: svg, png", format)
}

// printable leaves out what XML cannot hold and a name in a results file can.
func printable(r rune) rune {
	if r != '\n' && r != '\t' && (r < ' ' || r == '\uFFFE' || r == '\uFFFF') {
		return -1
	}
	return r
}

// Figures lists every chart of the page, for each task and place in turn. A chart
// with nothing in it is left out.
func (s *Report) Figures() []Figure {
	var out []Figure
	for _, t := range s.Tasks {
		if t.Scored {
			out = append(out, s.accuracyFigure(t))
		}
		for i, p := range t.Places {
			at := fileName(t.Name)
			if len(t.Places) > 1 {
				at += "-place" + strconv.Itoa(i+1)
			}
			for _, m := range summary.Metrics() {
				out = append(out, s.costFigure(t, p, m, at)...)
			}
			out = append(out, s.costFigure(t, p, summary.PerToken(), at)...)
			out = append(out, s.tradeoffFigure(t, p, at)...)
		}
		out = append(out, s.publishedFigure(t)...)
	}
	for _, t := range s.Texts {
		out = append(out, s.textFigures(t)...)
	}
	out = append(out, s.rankFigure()...)
	if len(s.Scored()) > 1 {
		out = append(out, s.heatFigure())
	}
	return distinctNames(append(out, s.insideFigures()...))
}

// distinctNames numbers figures whose names would be one file.
func distinctNames(figures []Figure) []Figure {
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

// Looks of figures.
const (
	fontSize   = vg.Length(9)
	lineWidth  = vg.Length(1.4)
	markerSize = vg.Length(3.2) // radius
)

var (
	ink   = hexColour("#1B1E23")
	soft  = hexColour("#565D67")
	line  = hexColour("#E3E6EA")
	shade = hexColour("#EEF1F5")
	paper = hexColour("#FFFFFF")
)

// hexColour reads "#RRGGBB" of our own palette.
func hexColour(hex string) color.NRGBA {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		panic(err) // a mistake in this package
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// colour of an encoding on white.
func (s *Report) colour(encoding int) color.NRGBA { return hexColour(s.Encodings[encoding].Light) }

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle is sans serif of one size everywhere.
func textStyle(c color.Color, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: sans(fontSize), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}

// newPlot has thin axes without a frame.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans(fontSize), soft
		a.Tick.Label.Font, a.Tick.Label.Color = sans(fontSize-0.5), soft
		a.LineStyle.Color, a.LineStyle.Width = soft, 0.5
		// keeps the numbers off markers on the axis
		a.Tick.LineStyle.Color, a.Tick.Length = color.Transparent, markerSize+1
		a.Padding = 0
	}
	p.X.Label.Padding, p.Y.Label.Padding = 4, 4
	p.Y.LineStyle.Width = 0
	return p
}

// grid draws thin lines across at the major ticks of y, behind the data.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(draw.LineStyle{Color: line, Width: 0.5}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// fill draws the outline of a shape around a point.
func (s Shape) fill(c *draw.Canvas, at vg.Point, radius vg.Length, fill, stroke color.Color) {
	var path vg.Path
	for i, p := range s {
		corner := vg.Point{X: at.X + radius*vg.Length(p[0]), Y: at.Y - radius*vg.Length(p[1])}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: stroke, Width: 0.8})
	c.Stroke(path)
}

// even gives about five labelled ticks at round numbers.
type even struct{}

// Ticks implements plot.Ticker.
func (even) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	if low+step == low {
		return nil // numbers between which there is none
	}
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) <= 6 {
			step *= m
			break
		}
	}
	var out []plot.Tick
	for i := int(math.Ceil(low/step - 1e-9)); float64(i)*step <= high+1e-9*step; i++ { // sums of steps would drift
		at := float64(i) * step
		label := strconv.FormatFloat(at, 'g', 6, 64)
		if step >= 1 {
			label = summary.Thousands(int(math.Round(at)))
		}
		out = append(out, plot.Tick{Value: at, Label: label})
	}
	return out
}
