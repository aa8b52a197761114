#include "textflag.h"
#include "blocks_amd64.h"

// Products of rows in two digits of 8 bits with a panel of integers in blocks: see digits.go for how these lie. A digit's products are
// summed up by themselves, for all columns, and put together at the end of a block.

#define TILE_ARGUMENTS \
	MOVQ blocks+0(FP), CX \
	MOVQ size+8(FP), DX   \
	MOVQ a+16(FP), SI     \
	MOVQ lda+24(FP), R11  \
	MOVQ b+32(FP), DI     \
	MOVQ scale+40(FP), R10 \
	MOVQ c+48(FP), R8     \
	MOVQ ldc+56(FP), R9   \
	SHLQ $2, R11          \
	SHLQ $2, R9           \
	LEAQ (R11)(R11*2), R12 \
	LEAQ (SI)(R11*4), R13 \
	SHRQ $3, DX           \
	VPXORQ Z0, Z0, Z0     \
	VPXORQ Z1, Z1, Z1     \
	VPXORQ Z2, Z2, Z2     \
	VPXORQ Z3, Z3, Z3     \
	VPXORQ Z4, Z4, Z4     \
	VPXORQ Z5, Z5, Z5     \
	VPXORQ Z6, Z6, Z6     \
	VPXORQ Z7, Z7, Z7

// func digits16(blocks, size, bias int, x, out *float32)
TEXT ·digits16(SB), NOSPLIT, $0-40
	MOVQ blocks+0(FP), CX
	MOVQ size+8(FP), DX
	MOVQ bias+16(FP), R11
	MOVQ x+24(FP), SI
	MOVQ out+32(FP), DI
	SHRQ $4, DX
	MOVL $0x7fffffff, AX
	VPBROADCASTD AX, Z20
	MOVL $128, AX
	VPBROADCASTD AX, Z21
	MOVL $0x46fefe00, AX // 32639
	VMOVD AX, X10
	MOVL $0x0da24260, AX // 1e-30
	VMOVD AX, X11
block:
	// The bits of numbers without a sign are ordered as the numbers are, and those of NaN are the largest.
	VPXORQ Z0, Z0, Z0
	MOVQ DX, BX
	MOVQ SI, R9
largest:
	VPANDD (R9), Z20, Z1
	VPMAXUD Z1, Z0, Z0
	ADDQ $64, R9
	DECQ BX
	JNZ  largest
	VEXTRACTI64X4 $1, Z0, Y1
	VPMAXUD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMAXSS X0, X11, X2  // NaN stays
	VDIVSS X2, X10, X3
	VDIVSS X10, X2, X4  // the scale
	VBROADCASTSS X3, Z3
	VPXORQ Z5, Z5, Z5
	MOVQ DX, BX
	MOVQ DI, R10
	ADDQ $4, DI
sixteen:
	VMULPS (SI), Z3, Z1
	VCVTPS2DQ Z1, Z1
	VPADDD Z1, Z5, Z5
	VPADDD Z21, Z1, Z2
	VPSRAD $8, Z2, Z2
	VPMOVDB Z2, X6
	VPMOVDB Z1, X7
	VPUNPCKLDQ X7, X6, X8
	VPUNPCKHDQ X7, X6, X9
	VMOVDQU X8, (DI)
	VMOVDQU X9, 16(DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ BX
	JNZ  sixteen
	VEXTRACTI64X4 $1, Z5, Y1
	VPADDD Y1, Y5, Y5
	VEXTRACTI128 $1, Y5, X1
	VPADDD X1, X5, X5
	VPSHUFD $0x4e, X5, X1
	VPADDD X1, X5, X5
	VPSHUFD $0xb1, X5, X1
	VPADDD X1, X5, X5
	VMOVD X5, AX
	IMULL R11, AX
	NEGL AX
	MOVL AX, (R10)
	VMOVSS X4, (DI)
	ADDQ $4, DI
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// The lower half of each byte.
#define NIBBLES \
	MOVL $0x0f0f0f0f, AX \
	VPBROADCASTD AX, Z31

#define ROW_BEGIN \
	VPBROADCASTD (SI), Z4 \
	VMOVDQA64 Z4, Z5      \
	VPXORQ Z2, Z2, Z2     \
	VPXORQ Z3, Z3, Z3     \
	ADDQ $4, SI           \
	MOVQ DX, BX

// Four rows of 32 columns.
#define ROW_FOUR(AT, LOW, HIGH) \
	VPBROADCASTD AT(SI), Z8    \
	VPBROADCASTD (AT+4)(SI), Z9 \
	VPDPBUSD Z8, LOW, Z2       \
	VPDPBUSD Z8, HIGH, Z3      \
	VPDPBUSD Z9, LOW, Z4       \
	VPDPBUSD Z9, HIGH, Z5

// The end of a block, and after the last one of the function.
#define ROW_END \
	VBROADCASTSS (SI), Z8  \
	ADDQ $4, SI            \
	VPSLLD $8, Z2, Z2      \
	VPSLLD $8, Z3, Z3      \
	VPADDD Z4, Z2, Z2      \
	VPADDD Z5, Z3, Z3      \
	VCVTDQ2PS Z2, Z2       \
	VCVTDQ2PS Z3, Z3       \
	VMULPS Z8, Z2, Z2      \
	VMULPS Z8, Z3, Z3      \
	VFMADD231PS (R10), Z2, Z0   \
	VFMADD231PS 64(R10), Z3, Z1 \
	ADDQ $128, R10 \
	DECQ CX        \
	JNZ  block     \
	VMOVUPS Z0, (R8)   \
	VMOVUPS Z1, 64(R8) \
	VZEROUPPER \
	RET

// func digits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·digits1x32(SB), NOSPLIT, $0-48
	ARGUMENTS
	SHRQ $3, DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
block:
	ROW_BEGIN
eight:
	VMOVDQU64 (DI), Z6
	VMOVDQU64 64(DI), Z7
	ROW_FOUR(0, Z6, Z7)
	VMOVDQU64 128(DI), Z6
	VMOVDQU64 192(DI), Z7
	ROW_FOUR(8, Z6, Z7)
	ADDQ $16, SI
	ADDQ $256, DI
	DECQ BX
	JNZ  eight
	ROW_END

// func nibbleDigits1x32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·nibbleDigits1x32(SB), NOSPLIT, $0-48
	ARGUMENTS
	SHRQ $3, DX
	NIBBLES
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
block:
	ROW_BEGIN
eight:
	VMOVDQU64 (DI), Z6
	VMOVDQU64 64(DI), Z7
	VPSRLW $4, Z6, Z10
	VPSRLW $4, Z7, Z11
	VPANDD Z31, Z6, Z6
	VPANDD Z31, Z7, Z7
	VPANDD Z31, Z10, Z10
	VPANDD Z31, Z11, Z11
	ROW_FOUR(0, Z6, Z7)
	ROW_FOUR(8, Z10, Z11)
	ADDQ $16, SI
	ADDQ $128, DI
	DECQ BX
	JNZ  eight
	ROW_END

#define TILE_BEGIN \
	VPXORQ Z8, Z8, Z8     \
	VPXORQ Z9, Z9, Z9     \
	VPXORQ Z10, Z10, Z10  \
	VPXORQ Z11, Z11, Z11  \
	VPXORQ Z12, Z12, Z12  \
	VPXORQ Z13, Z13, Z13  \
	VPXORQ Z14, Z14, Z14  \
	VPXORQ Z15, Z15, Z15  \
	VPBROADCASTD (SI), Z16         \
	VPBROADCASTD (SI)(R11*1), Z17  \
	VPBROADCASTD (SI)(R11*2), Z18  \
	VPBROADCASTD (SI)(R12*1), Z19  \
	VPBROADCASTD (R13), Z20        \
	VPBROADCASTD (R13)(R11*1), Z21 \
	VPBROADCASTD (R13)(R11*2), Z22 \
	VPBROADCASTD (R13)(R12*1), Z23 \
	ADDQ $4, SI  \
	ADDQ $4, R13 \
	MOVQ DX, BX

// Four rows of 16 columns.
#define TILE_FOUR(AT, B) \
	VPDPBUSD.BCST AT(SI), B, Z8                \
	VPDPBUSD.BCST (AT+4)(SI), B, Z16           \
	VPDPBUSD.BCST AT(SI)(R11*1), B, Z9         \
	VPDPBUSD.BCST (AT+4)(SI)(R11*1), B, Z17    \
	VPDPBUSD.BCST AT(SI)(R11*2), B, Z10        \
	VPDPBUSD.BCST (AT+4)(SI)(R11*2), B, Z18    \
	VPDPBUSD.BCST AT(SI)(R12*1), B, Z11        \
	VPDPBUSD.BCST (AT+4)(SI)(R12*1), B, Z19    \
	VPDPBUSD.BCST AT(R13), B, Z12              \
	VPDPBUSD.BCST (AT+4)(R13), B, Z20          \
	VPDPBUSD.BCST AT(R13)(R11*1), B, Z13       \
	VPDPBUSD.BCST (AT+4)(R13)(R11*1), B, Z21   \
	VPDPBUSD.BCST AT(R13)(R11*2), B, Z14       \
	VPDPBUSD.BCST (AT+4)(R13)(R11*2), B, Z22   \
	VPDPBUSD.BCST AT(R13)(R12*1), B, Z15       \
	VPDPBUSD.BCST (AT+4)(R13)(R12*1), B, Z23

#define TILE_ROW(SCALE, HIGH, LOW, SUM) \
	VPSLLD $8, HIGH, HIGH         \
	VPADDD LOW, HIGH, HIGH        \
	VCVTDQ2PS HIGH, HIGH          \
	VMULPS.BCST SCALE, HIGH, HIGH \
	VFMADD231PS Z24, HIGH, SUM

#define TILE_STORE(SUM) \
	VMOVUPS SUM, (R8) \
	ADDQ R9, R8

// The end of a block, and after the last one of the function.
#define TILE_END \
	VMOVUPS (R10), Z24 \
	TILE_ROW((SI), Z8, Z16, Z0)          \
	TILE_ROW((SI)(R11*1), Z9, Z17, Z1)   \
	TILE_ROW((SI)(R11*2), Z10, Z18, Z2)  \
	TILE_ROW((SI)(R12*1), Z11, Z19, Z3)  \
	TILE_ROW((R13), Z12, Z20, Z4)        \
	TILE_ROW((R13)(R11*1), Z13, Z21, Z5) \
	TILE_ROW((R13)(R11*2), Z14, Z22, Z6) \
	TILE_ROW((R13)(R12*1), Z15, Z23, Z7) \
	ADDQ $128, R10 \
	ADDQ $4, SI    \
	ADDQ $4, R13   \
	DECQ CX        \
	JNZ  block     \
	TILE_STORE(Z0) \
	TILE_STORE(Z1) \
	TILE_STORE(Z2) \
	TILE_STORE(Z3) \
	TILE_STORE(Z4) \
	TILE_STORE(Z5) \
	TILE_STORE(Z6) \
	TILE_STORE(Z7) \
	VZEROUPPER     \
	RET

// func digits8x16(blocks, size int, a *float32, lda int, b *int8, scale, c *float32, ldc int)
TEXT ·digits8x16(SB), NOSPLIT, $0-64
	TILE_ARGUMENTS
block:
	TILE_BEGIN
eight:
	VMOVDQU64 (DI), Z24
	VMOVDQU64 128(DI), Z25
	TILE_FOUR(0, Z24)
	TILE_FOUR(8, Z25)
	ADDQ $16, SI
	ADDQ $16, R13
	ADDQ $256, DI
	DECQ BX
	JNZ  eight
	TILE_END

// func nibbleDigits8x16(blocks, size int, a *float32, lda int, b *int8, scale, c *float32, ldc int)
TEXT ·nibbleDigits8x16(SB), NOSPLIT, $0-64
	NIBBLES
	TILE_ARGUMENTS
block:
	TILE_BEGIN
eight:
	VMOVDQU64 (DI), Z24
	VPSRLW $4, Z24, Z25
	VPANDD Z31, Z24, Z24
	VPANDD Z31, Z25, Z25
	TILE_FOUR(0, Z24)
	TILE_FOUR(8, Z25)
	ADDQ $16, SI
	ADDQ $16, R13
	ADDQ $128, DI
	DECQ BX
	JNZ  eight
	TILE_END
