package onnxpb

// MaxMessage is the most bytes of one protobuf message, and so of a file. Tests lower it to have models whose
// weights do not fit into their file.
var MaxMessage = int64(1<<31 - 1)
