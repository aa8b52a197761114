//go:build !ort

package main

import _ "github.com/nopezoo/zoo/runtime/native" // pure Go
