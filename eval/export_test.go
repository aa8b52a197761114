package eval

// DrawWindows is what MeasureText reads.
var DrawWindows = drawWindows
