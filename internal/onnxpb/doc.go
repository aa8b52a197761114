// Package onnxpb reads and writes the part of the ONNX file format (https://onnx.ai, up to IR version 13) that zoo writes,
// reads or checks. The types stand in the place of code that protoc would generate: that code and the library behind it
// were twice as long here, and most of what a program gets that embeds a model.
package onnxpb
