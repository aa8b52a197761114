#include "textflag.h"
#include "blocks_amd64.h"

// A row of float32 times a panel of 32 columns of integers: see Blocks for how these lie. Each block is summed by itself,
// and then multiplied with its scales.

#define EXPAND_ARGUMENTS \
	MOVQ blocks+0(FP), CX \
	MOVQ size+8(FP), DX   \
	MOVQ b+16(FP), DI     \
	MOVQ scale+24(FP), R10 \
	MOVQ out+32(FP), R8

// The end of a block, whose sums are Y4 to Y7, and after the last one of the function.
#define END \
	VFMADD231PS (R10), Y4, Y0 \
	VFMADD231PS 32(R10), Y5, Y1 \
	VFMADD231PS 64(R10), Y6, Y2 \
	VFMADD231PS 96(R10), Y7, Y3 \
	ADDQ $128, R10 \
	DECQ CX \
	JNZ  block \
	VMOVUPS Y0, (R8) \
	VMOVUPS Y1, 32(R8) \
	VMOVUPS Y2, 64(R8) \
	VMOVUPS Y3, 96(R8) \
	VZEROUPPER \
	RET

// func eightBits32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·eightBits32(SB), NOSPLIT, $0-48
	ARGUMENTS
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
block:
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ DX, BX
row:
	VPMOVSXBD (DI), Y8
	VPMOVSXBD 8(DI), Y9
	VPMOVSXBD 16(DI), Y10
	VPMOVSXBD 24(DI), Y11
	VCVTDQ2PS Y8, Y8
	VCVTDQ2PS Y9, Y9
	VCVTDQ2PS Y10, Y10
	VCVTDQ2PS Y11, Y11
	VBROADCASTSS (SI), Y12
	VFMADD231PS Y8, Y12, Y4
	VFMADD231PS Y9, Y12, Y5
	VFMADD231PS Y10, Y12, Y6
	VFMADD231PS Y11, Y12, Y7
	ADDQ $32, DI
	ADDQ $4, SI
	DECQ BX
	JNZ  row
	END

// Eight columns of two rows, of which the factors are Y12 and Y13.
#define FOURBITS(B, SUM) \
	VPMOVZXBD B, Y8          \
	VPSRLD $4, Y8, Y9        \
	VPAND Y15, Y8, Y8        \
	VCVTDQ2PS Y8, Y8         \
	VCVTDQ2PS Y9, Y9         \
	VFMADD231PS Y8, Y12, SUM \
	VFMADD231PS Y9, Y13, SUM

// func fourBits32(blocks, size int, a *float32, b *int8, scale, c *float32)
TEXT ·fourBits32(SB), NOSPLIT, $0-48
	ARGUMENTS
	SHRQ $1, DX
	MOVL $15, AX
	MOVQ AX, X15
	VPBROADCASTD X15, Y15
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVL $0xc1000000, AX // -8
	MOVQ AX, X14
	VPBROADCASTD X14, Y14
block:
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y10, Y10, Y10
	MOVQ DX, BX
pair:
	VBROADCASTSS (SI), Y12
	VBROADCASTSS 4(SI), Y13
	FOURBITS((DI), Y4)
	FOURBITS(8(DI), Y5)
	FOURBITS(16(DI), Y6)
	FOURBITS(24(DI), Y7)
	VADDPS Y13, Y12, Y12
	VADDPS Y12, Y10, Y10
	ADDQ $32, DI
	ADDQ $8, SI
	DECQ BX
	JNZ  pair
	VMULPS Y14, Y10, Y10
	VADDPS Y10, Y4, Y4
	VADDPS Y10, Y5, Y5
	VADDPS Y10, Y6, Y6
	VADDPS Y10, Y7, Y7
	END

#define SCALES \
	VMOVUPS (R10), Y0   \
	VMOVUPS 32(R10), Y1 \
	VMOVUPS 64(R10), Y2 \
	VMOVUPS 96(R10), Y3 \
	ADDQ $128, R10

// The integers of a row, Y4 to Y7, times their scales.
#define SCALED \
	VCVTDQ2PS Y4, Y4    \
	VCVTDQ2PS Y5, Y5    \
	VCVTDQ2PS Y6, Y6    \
	VCVTDQ2PS Y7, Y7    \
	VMULPS Y0, Y4, Y4   \
	VMULPS Y1, Y5, Y5   \
	VMULPS Y2, Y6, Y6   \
	VMULPS Y3, Y7, Y7   \
	VMOVUPS Y4, (R8)    \
	VMOVUPS Y5, 32(R8)  \
	VMOVUPS Y6, 64(R8)  \
	VMOVUPS Y7, 96(R8)  \
	ADDQ $128, R8

// func expandEightBits(blocks, size int, b *int8, scale, out *float32)
TEXT ·expandEightBits(SB), NOSPLIT, $0-40
	EXPAND_ARGUMENTS
block:
	SCALES
	MOVQ DX, BX
row:
	VPMOVSXBD (DI), Y4
	VPMOVSXBD 8(DI), Y5
	VPMOVSXBD 16(DI), Y6
	VPMOVSXBD 24(DI), Y7
	SCALED
	ADDQ $32, DI
	DECQ BX
	JNZ  row
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// func expandFourBits(blocks, size int, b *int8, scale, out *float32)
// Integers are 8 more than they stand for.
TEXT ·expandFourBits(SB), NOSPLIT, $0-40
	EXPAND_ARGUMENTS
	SHRQ $1, DX
	MOVL $15, AX
	VMOVD AX, X12
	VPBROADCASTD X12, Y12
	MOVL $8, AX
	VMOVD AX, X13
	VPBROADCASTD X13, Y13
block:
	SCALES
	MOVQ DX, BX
pair:
	VPMOVZXBD (DI), Y8
	VPMOVZXBD 8(DI), Y9
	VPMOVZXBD 16(DI), Y10
	VPMOVZXBD 24(DI), Y11
	VPAND Y12, Y8, Y4
	VPAND Y12, Y9, Y5
	VPAND Y12, Y10, Y6
	VPAND Y12, Y11, Y7
	VPSUBD Y13, Y4, Y4
	VPSUBD Y13, Y5, Y5
	VPSUBD Y13, Y6, Y6
	VPSUBD Y13, Y7, Y7
	SCALED
	VPSRLD $4, Y8, Y4
	VPSRLD $4, Y9, Y5
	VPSRLD $4, Y10, Y6
	VPSRLD $4, Y11, Y7
	VPSUBD Y13, Y4, Y4
	VPSUBD Y13, Y5, Y5
	VPSUBD Y13, Y6, Y6
	VPSUBD Y13, Y7, Y7
	SCALED
	ADDQ $32, DI
	DECQ BX
	JNZ  pair
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
