#include "textflag.h"
#include "neon_arm64.h"

// A row of float32 times a panel of 32 columns of integers: see Blocks for how these lie. Each block is summed by itself, V8 to V15,
// and then multiplied with its scales.

#define SXTL(FROM, TO) WORD $(0x0F08A400 | (FROM)<<5 | (TO))   // int8 to int16, of the lower half
#define SXTL2(FROM, TO) WORD $(0x4F08A400 | (FROM)<<5 | (TO))  // of the upper half
#define SXTLW(FROM, TO) WORD $(0x0F10A400 | (FROM)<<5 | (TO))  // int16 to int32
#define SXTLW2(FROM, TO) WORD $(0x4F10A400 | (FROM)<<5 | (TO))
#define SCVTF(N) WORD $(0x4E21D800 | (N)<<5 | (N))             // int32 to float32

// Sixteen integers of 8 bits as float32, in V21 to V24.
#define WIDEN(INTEGERS) \
	SXTL(INTEGERS, 19) \
	SXTL2(INTEGERS, 20) \
	SXTLW(19, 21) \
	SXTLW2(19, 22) \
	SXTLW(20, 23) \
	SXTLW2(20, 24) \
	SCVTF(21) \
	SCVTF(22) \
	SCVTF(23) \
	SCVTF(24)

// The next number of a, V16, times 16 integers of 8 bits is added to four sums.
#define ADD16(INTEGERS, A, B, C, D) \
	WIDEN(INTEGERS) \
	VFMLA V21.S4, V16.S4, A.S4 \
	VFMLA V22.S4, V16.S4, B.S4 \
	VFMLA V23.S4, V16.S4, C.S4 \
	VFMLA V24.S4, V16.S4, D.S4

#define ARGUMENTS \
	MOVD blocks+0(FP), R0 \
	MOVD size+8(FP), R1   \
	MOVD a+16(FP), R2     \
	MOVD b+24(FP), R3     \
	MOVD scale+32(FP), R4 \
	MOVD c+40(FP), R5     \
	CLEAR4(V0, V1, V2, V3) \
	CLEAR4(V4, V5, V6, V7)

#define EXPAND_ARGUMENTS \
	MOVD blocks+0(FP), R0 \
	MOVD size+8(FP), R1   \
	MOVD b+16(FP), R2     \
	MOVD scale+24(FP), R3 \
	MOVD out+32(FP), R4

// The end of a block, and after the last one of the function.
#define END \
	VLD1.P 64(R4), [V16.S4, V17.S4, V18.S4, V19.S4] \
	VLD1.P 64(R4), [V20.S4, V21.S4, V22.S4, V23.S4] \
	VFMLA V16.S4, V8.S4, V0.S4  \
	VFMLA V17.S4, V9.S4, V1.S4  \
	VFMLA V18.S4, V10.S4, V2.S4 \
	VFMLA V19.S4, V11.S4, V3.S4 \
	VFMLA V20.S4, V12.S4, V4.S4 \
	VFMLA V21.S4, V13.S4, V5.S4 \
	VFMLA V22.S4, V14.S4, V6.S4 \
	VFMLA V23.S4, V15.S4, V7.S4 \
	SUB  $1, R0 \
	CBNZ R0, block \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R5) \
	VST1   [V4.S4, V5.S4, V6.S4, V7.S4], (R5) \
	RET

// func eightBits32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·eightBits32(SB), NOSPLIT, $0-48
	ARGUMENTS
block:
	CLEAR4(V8, V9, V10, V11)
	CLEAR4(V12, V13, V14, V15)
	MOVD R1, R6
row:
	VLD1R.P 4(R2), [V16.S4]
	VLD1.P  32(R3), [V17.B16, V18.B16]
	ADD16(17, V8, V9, V10, V11)
	ADD16(18, V12, V13, V14, V15)
	SUB  $1, R6
	CBNZ R6, row
	END

// func fourBits32(blocks, size int, a *float32, b *int8, scale, c *float32)
// Integers are 8 more than they stand for.
TEXT ·fourBits32(SB), NOSPLIT, $0-48
	ARGUMENTS
	VMOVI $8, V30.B16
	VMOVI $15, V31.B16
block:
	CLEAR4(V8, V9, V10, V11)
	CLEAR4(V12, V13, V14, V15)
	LSR  $1, R1, R6
pair:
	VLD1R.P 4(R2), [V16.S4]
	VLD1.P  32(R3), [V17.B16, V18.B16]
	VAND V31.B16, V17.B16, V25.B16
	VAND V31.B16, V18.B16, V26.B16
	VSUB V30.B16, V25.B16, V25.B16
	VSUB V30.B16, V26.B16, V26.B16
	ADD16(25, V8, V9, V10, V11)
	ADD16(26, V12, V13, V14, V15)
	VLD1R.P 4(R2), [V16.S4]
	VUSHR $4, V17.B16, V17.B16
	VUSHR $4, V18.B16, V18.B16
	VSUB V30.B16, V17.B16, V17.B16
	VSUB V30.B16, V18.B16, V18.B16
	ADD16(17, V8, V9, V10, V11)
	ADD16(18, V12, V13, V14, V15)
	SUB  $1, R6
	CBNZ R6, pair
	END

// A row of 32 integers times their scales, V0 to V7.
#define SCALED(LOW, HIGH) \
	WIDEN(LOW) \
	FMUL(0, 21, 21) \
	FMUL(1, 22, 22) \
	FMUL(2, 23, 23) \
	FMUL(3, 24, 24) \
	VST1.P [V21.S4, V22.S4, V23.S4, V24.S4], 64(R4) \
	WIDEN(HIGH) \
	FMUL(4, 21, 21) \
	FMUL(5, 22, 22) \
	FMUL(6, 23, 23) \
	FMUL(7, 24, 24) \
	VST1.P [V21.S4, V22.S4, V23.S4, V24.S4], 64(R4)

#define SCALES \
	VLD1.P 64(R3), [V0.S4, V1.S4, V2.S4, V3.S4] \
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]

// func expandEightBits(blocks, size int, b *int8, scale, out *float32)
TEXT ·expandEightBits(SB), NOSPLIT, $0-40
	EXPAND_ARGUMENTS
block:
	SCALES
	MOVD R1, R6
row:
	VLD1.P 32(R2), [V17.B16, V18.B16]
	SCALED(17, 18)
	SUB  $1, R6
	CBNZ R6, row
	SUB  $1, R0
	CBNZ R0, block
	RET

// func expandFourBits(blocks, size int, b *int8, scale, out *float32)
// Integers are 8 more than they stand for.
TEXT ·expandFourBits(SB), NOSPLIT, $0-40
	EXPAND_ARGUMENTS
	VMOVI $8, V30.B16
	VMOVI $15, V31.B16
block:
	SCALES
	LSR  $1, R1, R6
pair:
	VLD1.P 32(R2), [V17.B16, V18.B16]
	VAND V31.B16, V17.B16, V25.B16
	VAND V31.B16, V18.B16, V26.B16
	VSUB V30.B16, V25.B16, V25.B16
	VSUB V30.B16, V26.B16, V26.B16
	SCALED(25, 26)
	VUSHR $4, V17.B16, V17.B16
	VUSHR $4, V18.B16, V18.B16
	VSUB V30.B16, V17.B16, V17.B16
	VSUB V30.B16, V18.B16, V18.B16
	SCALED(17, 18)
	SUB  $1, R6
	CBNZ R6, pair
	SUB  $1, R0
	CBNZ R0, block
	RET

// Four numbers at I of V28 times four rows of 16 columns each.
#define SDOTI(I, N, D) WORD $(0x4F80E000 | 28<<16 | ((I)&1)<<21 | ((I)>>1)<<11 | (N)<<5 | (D))
#define FCVTNS(N, D) WORD $(0x4E21A800 | (N)<<5 | (D))   // to the nearest, ties to even
#define UMAXV(N, D) WORD $(0x6EB0A800 | (N)<<5 | (D))

// The bias is where sums of low digits begin, V16 to V23; those of high ones are V8 to V15.
#define DIGITS_BEGIN \
	CLEAR4(V8, V9, V10, V11)       \
	CLEAR4(V12, V13, V14, V15)     \
	VLD1R.P 4(R2), [V16.S4]        \
	VMOV V16.B16, V17.B16 \
	VMOV V16.B16, V18.B16 \
	VMOV V16.B16, V19.B16 \
	VMOV V16.B16, V20.B16 \
	VMOV V16.B16, V21.B16 \
	VMOV V16.B16, V22.B16 \
	VMOV V16.B16, V23.B16 \
	MOVD R1, R6

#define DIGITS_JOIN(HIGH, LOW, N) \
	VSHL $8, HIGH.S4, HIGH.S4     \
	VADD LOW.S4, HIGH.S4, HIGH.S4 \
	SCVTF(N)                      \
	FMUL(28, N, N)

#define DIGITS_END \
	VLD1R.P 4(R2), [V28.S4]   \
	DIGITS_JOIN(V8, V16, 8)   \
	DIGITS_JOIN(V9, V17, 9)   \
	DIGITS_JOIN(V10, V18, 10) \
	DIGITS_JOIN(V11, V19, 11) \
	DIGITS_JOIN(V12, V20, 12) \
	DIGITS_JOIN(V13, V21, 13) \
	DIGITS_JOIN(V14, V22, 14) \
	DIGITS_JOIN(V15, V23, 15) \
	END

// Four rows of 16 columns, V24 to V27, whose digits are at I of V28 and behind.
#define FOUR_ROWS(I, HIGH, LOW) \
	VLD1.P 64(R3), [V24.B16, V25.B16, V26.B16, V27.B16] \
	SDOTI(I, 24, HIGH)       \
	SDOTI(I, 25, (HIGH+1))   \
	SDOTI(I, 26, (HIGH+2))   \
	SDOTI(I, 27, (HIGH+3))   \
	SDOTI(I+1, 24, LOW)      \
	SDOTI(I+1, 25, (LOW+1))  \
	SDOTI(I+1, 26, (LOW+2))  \
	SDOTI(I+1, 27, (LOW+3))

// func digits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·digits1x32(SB), NOSPLIT, $0-48
	ARGUMENTS
	LSR $3, R1
block:
	DIGITS_BEGIN
eight:
	VLD1.P 16(R2), [V28.B16]
	FOUR_ROWS(0, 8, 16)
	FOUR_ROWS(0, 12, 20)
	FOUR_ROWS(2, 8, 16)
	FOUR_ROWS(2, 12, 20)
	SUB  $1, R6
	CBNZ R6, eight
	DIGITS_END

// Eight rows of four columns of 4 bits.
#define EIGHT_ROWS(INTEGERS, HIGH, LOW) \
	VAND  V31.B16, INTEGERS.B16, V29.B16 \
	VUSHR $4, INTEGERS.B16, V30.B16      \
	SDOTI(0, 29, HIGH) \
	SDOTI(1, 29, LOW)  \
	SDOTI(2, 30, HIGH) \
	SDOTI(3, 30, LOW)

// func nibbleDigits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·nibbleDigits1x32(SB), NOSPLIT, $0-48
	ARGUMENTS
	LSR $3, R1
	VMOVI $15, V31.B16
block:
	DIGITS_BEGIN
eight:
	VLD1.P 16(R2), [V28.B16]
	VLD1.P 64(R3), [V24.B16, V25.B16, V26.B16, V27.B16]
	EIGHT_ROWS(V24, 8, 16)
	EIGHT_ROWS(V25, 9, 17)
	EIGHT_ROWS(V26, 10, 18)
	EIGHT_ROWS(V27, 11, 19)
	VLD1.P 64(R3), [V24.B16, V25.B16, V26.B16, V27.B16]
	EIGHT_ROWS(V24, 12, 20)
	EIGHT_ROWS(V25, 13, 21)
	EIGHT_ROWS(V26, 14, 22)
	EIGHT_ROWS(V27, 15, 23)
	SUB  $1, R6
	CBNZ R6, eight
	DIGITS_END

// The largest of V0 and four numbers without their signs, whose bits are ordered as the numbers are, and those of NaN are the largest.
#define LARGEST(N, X) \
	BIC(31, N, N) \
	VUMAX X.S4, V0.S4, V0.S4

#define ROUNDED(N, X) \
	FMUL(3, N, N) \
	FCVTNS(N, N)  \
	VADD X.S4, V5.S4, V5.S4

// func digits16(blocks, size, bias int, x, out *float32)
TEXT ·digits16(SB), NOSPLIT, $0-40
	MOVD blocks+0(FP), R0
	MOVD size+8(FP), R1
	MOVD bias+16(FP), R2
	MOVD x+24(FP), R3
	MOVD out+32(FP), R4
	LSR  $4, R1
	MOVD $0x80000000, R7
	VDUP R7, V31.S4
	MOVD $128, R7
	VDUP R7, V30.H8
	MOVD $0x46fefe00, R7 // 32639
	FMOVS R7, F28
	MOVD $0x0da24260, R7 // 1e-30
	FMOVS R7, F29
block:
	VEOR V0.B16, V0.B16, V0.B16
	MOVD R1, R6
	MOVD R3, R8
largest:
	VLD1.P 64(R8), [V16.S4, V17.S4, V18.S4, V19.S4]
	LARGEST(16, V16)
	LARGEST(17, V17)
	LARGEST(18, V18)
	LARGEST(19, V19)
	SUB  $1, R6
	CBNZ R6, largest
	UMAXV(0, 0)
	FMAXS F0, F29, F2 // NaN stays
	FDIVS F2, F28, F3
	FDIVS F28, F2, F4 // the scale
	VDUP V3.S[0], V3.S4
	VEOR V5.B16, V5.B16, V5.B16
	MOVD R1, R6
	MOVD R4, R8
	ADD  $4, R4
sixteen:
	VLD1.P 64(R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	ROUNDED(16, V16)
	ROUNDED(17, V17)
	ROUNDED(18, V18)
	ROUNDED(19, V19)
	VUZP1 V17.H8, V16.H8, V20.H8
	VUZP1 V19.H8, V18.H8, V21.H8
	VUZP1 V21.B16, V20.B16, V22.B16 // the low digits
	VADD V30.H8, V20.H8, V20.H8
	VADD V30.H8, V21.H8, V21.H8
	VUZP2 V21.B16, V20.B16, V23.B16 // the high ones
	VZIP1 V22.S4, V23.S4, V24.S4
	VZIP2 V22.S4, V23.S4, V25.S4
	VST1.P [V24.S4, V25.S4], 32(R4)
	SUB  $1, R6
	CBNZ R6, sixteen
	VADDV V5.S4, V5
	FMOVS F5, R7
	MULW R2, R7, R7
	NEGW R7, R7
	MOVW R7, (R8)
	FMOVS F4, (R4)
	ADD  $4, R4
	SUB  $1, R0
	CBNZ R0, block
	RET
