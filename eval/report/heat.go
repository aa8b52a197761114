package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// heatFigure is tasks by series: mean exact match beyond the trained lengths.
func (s *Report) heatFigure() Figure {
	table := s.HeatMap
	if len(table.Lines) < 2 {
		return Figure{}
	}
	const wide, high = 54., 20. // of a cell
	task := textStyle(ink, draw.XRight, draw.YCenter)
	left := 0.
	for _, l := range table.Lines {
		left = max(left, float64(task.Width(l[0].Text))+8)
	}
	width, height := left+wide*float64(len(table.Head)-1), high*float64(len(table.Lines)+1)
	p := panel{x: axis{high: width}, y: axis{high: height}} // in points
	for j, head := range table.Head[1:] {
		style := textStyle(ink, draw.XCenter, draw.YCenter)
		for style.Width(head) > wide-2 && style.Font.Size > 4 {
			style.Font.Size -= 0.5
		}
		p.marks = append(p.marks, word{point{left + wide*(float64(j)+0.5), height - high/2}, head, style})
	}
	for i, l := range table.Lines {
		y := height - high*float64(i+2)
		p.marks = append(p.marks, word{point{left - 8, y + high/2}, l[0].Text, task})
		for j, cell := range l[1:] {
			low, v := point{left + wide*float64(j), y}, cell.Value.Median
			fill, on := paper, soft
			if v.Known() {
				fill = heatColour(float64(v))
				on = readable(fill)
			}
			p.marks = append(p.marks,
				area{[][]point{rectangle(point{low.x + 1, low.y + 1}, point{low.x + wide - 1, low.y + high - 1})}, fill},
				word{point{low.x + wide/2, low.y + high/2}, cell.Text + cell.Mark, textStyle(on, draw.XCenter, draw.YCenter)})
		}
	}
	return Figure{Name: "heatmap", width: vg.Length(width) + 2*margin, height: vg.Length(height) + 2*margin, panels: []panel{p}, across: 1}
}

// heatColour is the page's scale on white, 0..1 from light to dark blue.
func heatColour(v float64) color.NRGBA {
	if v < 0.5 {
		return blend(heatLow, heatMid, 2*v)
	}
	return blend(heatMid, heatHigh, 2*v-1)
}

// readable is black or white, whichever has the greater contrast with a colour: it
// is at least 4.58 to 1 (WCAG 2.1).
func readable(fill color.Color) color.NRGBA {
	linear := func(v uint32) float64 { // of sRGB
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b, _ := fill.RGBA()
	if 0.2126*linear(r)+0.7152*linear(g)+0.0722*linear(b) > 0.179 {
		return hexColour("000000")
	}
	return paper
}

func blend(a, b color.NRGBA, t float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
