module example.org/service

go 1.26.0

require github.com/nopezoo/zoo v0.0.0

require (
	golang.org/x/sys v0.50.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/nopezoo/zoo => ../..
