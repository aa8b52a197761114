module example.org/embed

go 1.26.0

require github.com/nopezoo/zoo v0.0.0

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/yalue/onnxruntime_go v1.35.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/nopezoo/zoo => ../..
