//go:build !cgo && !static_build && (linux && !android || darwin && !ios)

#include "textflag.h"

// The system's C calling convention (AAPCS64): arguments in R0 to R7, further ones on the
// stack, which is aligned to 16 bytes.

DATA ·trampoline(SB)/8, $zoo_ort_invoke(SB)
GLOBL ·trampoline(SB), NOPTR|RODATA, $8

// zoo_ort_invoke(flush, f, a, b, c, d, e, g, h, i) calls f(a, b, c, d, e, g, h, i), a C
// function, as a C function. Denormal numbers are 0 meanwhile where flush is not 0 (bit FZ of
// FPCR); then the thread gets its mode back, which loading a session may change.
TEXT zoo_ort_invoke(SB), NOSPLIT|NOFRAME, $0
	MOVD 0(RSP), R9
	MOVD 8(RSP), R10
	SUB $32, RSP
	STP (R29, R30), 0(RSP)
	MOVD RSP, R29
	MRS FPCR, R11
	MOVD R11, 16(RSP)
	CBZ R0, call
	ORR $(1<<24), R11
	MSR R11, FPCR
call:
	MOVD R1, R16
	MOVD R2, R0
	MOVD R3, R1
	MOVD R4, R2
	MOVD R5, R3
	MOVD R6, R4
	MOVD R7, R5
	MOVD R9, R6
	MOVD R10, R7
	BL (R16)
	MOVD 16(RSP), R11
	MSR R11, FPCR
	LDP 0(RSP), (R29, R30)
	ADD $32, RSP
	RET
