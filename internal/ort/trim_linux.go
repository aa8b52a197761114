package ort

// trimMemory gives memory that closed sessions and values left with the C allocator back to
// the system (malloc_trim(3)), which only glibc does. It does nothing elsewhere.
func trimMemory() {
	if trim, err := symbol(0, "malloc_trim"); err == nil {
		callC(trim, 0)
	}
}
