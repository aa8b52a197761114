//go:build cgo && linux

package ort

/*
#include <stddef.h>

// Only glibc has it; elsewhere the symbol is null.
extern int malloc_trim(size_t) __attribute__((weak));
static void zoo_trim(void) { if (malloc_trim) malloc_trim(0); }
*/
import "C"

// trimMemory gives memory that closed sessions and values left with the C allocator
// back to the system (malloc_trim(3)). It does nothing where the C library cannot.
func trimMemory() { C.zoo_trim() }
