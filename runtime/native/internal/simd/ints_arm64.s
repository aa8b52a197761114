#include "textflag.h"

// Products of integers, for processors with dot products of four of 8 bits. These multiply signed numbers: 128 is taken off those of
// a, which intBias says.

#define SDOT(M, N, D) WORD $(0x4E809400 | (M)<<16 | (N)<<5 | (D))

// The next four numbers of the row of a at AT times four rows of b, V16 to V19, are added to four sums of columns.
#define DOT16(AT, A, B, C, D) \
	VLD1R.P 4(AT), [V20.S4] \
	VEOR    V31.B16, V20.B16, V20.B16 \
	SDOT(20, 16, A) \
	SDOT(20, 17, B) \
	SDOT(20, 18, C) \
	SDOT(20, 19, D)

// func ints4x16(k int, a *uint8, lda int, b *int8, start, c *int32, ldc int)
TEXT ·ints4x16(SB), NOSPLIT, $0-56
	MOVD k+0(FP), R0
	MOVD a+8(FP), R1
	MOVD lda+16(FP), R2
	MOVD b+24(FP), R6
	MOVD start+32(FP), R7
	MOVD c+40(FP), R8
	MOVD ldc+48(FP), R9
	LSL  $2, R9
	ADD  R2, R1, R3
	ADD  R2, R3, R4
	ADD  R2, R4, R5
	MOVD $128, R10 // to the next group of four rows of b
	VMOVI $128, V31.B16
	VLD1 (R7), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1 (R7), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1 (R7), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1 (R7), [V12.S4, V13.S4, V14.S4, V15.S4]
loop:
	VLD1.P (R6)(R10), [V16.B16, V17.B16, V18.B16, V19.B16]
	DOT16(R1, 0, 1, 2, 3)
	DOT16(R3, 4, 5, 6, 7)
	DOT16(R4, 8, 9, 10, 11)
	DOT16(R5, 12, 13, 14, 15)
	SUB  $1, R0
	CBNZ R0, loop
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R8)
	ADD  R9, R8
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R8)
	ADD  R9, R8
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R8)
	ADD  R9, R8
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R8)
	RET

// func ints1x32(k int, a *uint8, b *int8, start, c *int32)
TEXT ·ints1x32(SB), NOSPLIT, $0-40
	MOVD k+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD start+24(FP), R3
	MOVD c+32(FP), R4
	VMOVI $128, V31.B16
	VLD1.P 64(R3), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1   (R3), [V4.S4, V5.S4, V6.S4, V7.S4]
loop:
	VLD1.P 64(R2), [V16.B16, V17.B16, V18.B16, V19.B16]
	DOT16(R1, 0, 1, 2, 3)
	VLD1.P 64(R2), [V16.B16, V17.B16, V18.B16, V19.B16]
	SDOT(20, 16, 4)
	SDOT(20, 17, 5)
	SDOT(20, 18, 6)
	SDOT(20, 19, 7)
	SUB  $1, R0
	CBNZ R0, loop
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R4)
	VST1   [V4.S4, V5.S4, V6.S4, V7.S4], (R4)
	RET
