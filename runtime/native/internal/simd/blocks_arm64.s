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
