// Package onnxpb is the generated form of onnx.proto: the part of the ONNX file
// format that package export writes and reads. The generator is protoc 3.21
// with protoc-gen-go of the same version as google.golang.org/protobuf.
package onnxpb

//go:generate protoc -I ../.. --go_out=../.. --go_opt=paths=source_relative internal/onnxpb/onnx.proto
