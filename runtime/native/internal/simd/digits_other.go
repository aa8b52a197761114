//go:build !amd64 && !arm64

package simd

const digitBias = 0

func hasDigits(int) bool { return false }

func digitScratch(int, *Blocks) int { return 0 }

func productDigits([]float32, []float32, int, *Blocks, int, int, []float32) {}
