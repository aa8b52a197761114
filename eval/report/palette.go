package report

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours are the hues of Okabe and Ito 2008 (Color Universal Design), in tones that a test holds apart under each colour
// blindness, with a contrast of 3 to 1 with the page. Shape and name tell encodings apart as well.
var colours = [...]struct{ light, dark string }{
	{"#0B4F9E", "#3D8BF2"}, // blue
	{"#E2620E", "#FF7A33"}, // vermilion
	{"#00855F", "#5AD39F"}, // bluish green
	{"#C957B0", "#DE82CE"}, // reddish purple
	{"#7A5600", "#F7CF5B"}, // orange: brown on white
	{"#2B95E0", "#9AD8FF"}, // sky blue
	{"#484848", "#8C8C8C"}, // grey
	{"#8B9B12", "#D4F53C"}, // yellow: olive on white
	{"#8C1D2C", "#B8413A"}, // dark red
}

// dashPatterns tell the series of one encoding apart: strokes and gaps in points, by variant.
var dashPatterns = [][]vg.Length{nil, {5, 3}, {1.5, 2.5}, {7, 2.5, 1.5, 2.5}, {11, 3}, {5, 2, 1.5, 2, 1.5, 2}}

// Patterns of limits, and of even attention.
var (
	limitDashes = []vg.Length{1, 2}
	evenDashes  = []vg.Length{1.5, 2}
)

func dashes(variant int) []vg.Length { return dashPatterns[variant%len(dashPatterns)] }

// colour of an encoding on white.
func (s *Report) colour(encoding int) color.NRGBA { return hexColour(s.Encodings[encoding].Light[1:]) }

// lightColour is a colour on white, by its place in the palette.
func lightColour(i int) color.NRGBA { return hexColour(colours[i%len(colours)].light[1:]) }

// marker is the shape of an encoding, filled with a colour.
func (s *Report) marker(encoding int, centre plotter.XY, radius vg.Length, fill, edge color.Color) *plotter.Scatter {
	shape := glyph{s.Encodings[encoding].shape, edge}
	return &plotter.Scatter{XYs: plotter.XYs{centre}, GlyphStyle: draw.GlyphStyle{Color: fill, Radius: radius, Shape: shape}}
}

// key is the marker of an encoding before a name.
func (s *Report) key(encoding int) *plotter.Scatter {
	return s.marker(encoding, plotter.XY{}, markerSize, s.colour(encoding), s.colour(encoding))
}

// outline is a marker's outline: corners in a square from −1 to 1, y downwards.
type outline [][2]float64

// look gives an encoding its looks by its place in the usual order. Colour and shape never agree both before 81.
func look(name string, i int) encoding {
	all := shapes()
	c, s := colours[i%len(colours)], all[(i+i/len(colours))%len(all)]
	return encoding{Name: name, Light: c.light, Dark: c.dark, shape: s, Path: s.path()}
}

// shapes lists the markers, of about the same area.
func shapes() []outline {
	return []outline{
		star(24, 0.9, 0.9, 0),          // disc
		star(4, 1.12, 1.12, math.Pi/4), // square
		star(3, 1.2, 1.2, -math.Pi/2),  // triangle
		star(4, 1.15, 1.15, 0),         // diamond
		star(3, 1.2, 1.2, math.Pi/2),   // triangle pointing down
		star(5, 1.3, 0.55, -math.Pi/2), // star
		cross(0),                       // plus
		star(6, 1, 1, 0),               // hexagon
		cross(math.Pi / 4),             // times
	}
}

// star has n outer corners, and n inner ones between if the radii differ.
func star(n int, outer, inner, turn float64) outline {
	var s outline
	for i := range n {
		a := turn + 2*math.Pi*float64(i)/float64(n)
		s = append(s, [2]float64{outer * math.Cos(a), outer * math.Sin(a)})
		if inner != outer {
			a += math.Pi / float64(n)
			s = append(s, [2]float64{inner * math.Cos(a), inner * math.Sin(a)})
		}
	}
	return s
}

// cross has two arms, turned.
func cross(turn float64) outline {
	const long, wide = 1.15, 0.38
	sin, cos := math.Sincos(turn)
	var s outline
	for range 4 {
		for _, p := range [][2]float64{{long, -wide}, {long, wide}, {wide, wide}} {
			s = append(s, [2]float64{p[0]*cos - p[1]*sin, p[0]*sin + p[1]*cos})
		}
		sin, cos = cos, -sin // a quarter turn
	}
	return s
}

// path writes the outline as an SVG path.
func (s outline) path() string {
	var b strings.Builder
	command := "M"
	for _, p := range s {
		fmt.Fprintf(&b, "%s%.2f %.2f", command, p[0], p[1])
		command = "L"
	}
	return b.String() + "Z"
}
