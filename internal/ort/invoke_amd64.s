//go:build !cgo && !static_build && (linux && !android || darwin && !ios)

#include "textflag.h"

// The system's C calling convention (System V ABI for AMD64): arguments in DI, SI, DX, CX, R8
// and R9, further ones on the stack, which is aligned to 16 bytes where a function is called.

DATA ·trampoline(SB)/8, $zoo_ort_invoke(SB)
GLOBL ·trampoline(SB), NOPTR|RODATA, $8

// zoo_ort_invoke(flush, f, a, b, c, d, e, g, h, i) calls f(a, b, c, d, e, g, h, i), a C
// function, as a C function. Denormal numbers are 0 meanwhile where flush is not 0 (bits FTZ
// and DAZ of MXCSR); then the thread gets its mode back, which loading a session may change.
TEXT zoo_ort_invoke(SB), NOSPLIT|NOFRAME, $0
	MOVQ 8(SP), R10
	MOVQ 16(SP), R11
	MOVQ 24(SP), AX
	SUBQ $40, SP
	MOVQ AX, 0(SP)
	MOVQ 72(SP), AX
	MOVQ AX, 8(SP)
	STMXCSR 16(SP)
	TESTQ DI, DI
	JEQ call
	MOVL 16(SP), AX
	ORL $0x8040, AX
	MOVL AX, 20(SP)
	LDMXCSR 20(SP)
call:
	MOVQ SI, AX
	MOVQ DX, DI
	MOVQ CX, SI
	MOVQ R8, DX
	MOVQ R9, CX
	MOVQ R10, R8
	MOVQ R11, R9
	CALL AX
	LDMXCSR 16(SP)
	ADDQ $40, SP
	RET
