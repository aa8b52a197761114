package report

import (
	"image/color"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// writePDF writes the figure with its font inside, and dated 1970: the same study gives the same bytes.
func (f figure) writePDF(w io.Writer) error {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0))
	fpdf.SetDefaultModificationDate(time.Unix(0, 0))
	fpdf.SetDefaultCatalogSort(true)
	width, height, _ := f.size()
	c := pdfCanvas{vgpdf.New(width, height)}
	f.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// pdfCanvas gives package vgpdf colours without premultiplied alpha, and texts in Windows-1252: it takes both as they come.
type pdfCanvas struct{ *vgpdf.Canvas }

// straight is a colour whose RGBA does not multiply by alpha.
type straight color.NRGBA

// RGBA implements color.Color.
func (c straight) RGBA() (r, g, b, a uint32) {
	return 0x101 * uint32(c.R), 0x101 * uint32(c.G), 0x101 * uint32(c.B), 0x101 * uint32(c.A)
}

// SetColor implements vg.Canvas.
func (c pdfCanvas) SetColor(to color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(to).(color.NRGBA)))
}

var pdfTexts = strings.NewReplacer("≥", ">=", "≤", "<=", "−", "–")

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	var b strings.Builder
	for _, r := range pdfTexts.Replace(text) {
		code, known := charmap.Windows1252.EncodeRune(r)
		if !known {
			code = '?'
		}
		b.WriteByte(code)
	}
	c.Canvas.FillString(f, at, b.String())
}
