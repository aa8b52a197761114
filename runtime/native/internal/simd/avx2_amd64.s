#include "textflag.h"

// Kernels for AVX2 with FMA. Lengths and strides count float32 numbers. Sums start from
// zero and what is in the place of the result does not count.

// One step of k in two columns of eight: row X times the columns in Y12 and Y13.
#define ROW16(A, LOW, HIGH) \
	VBROADCASTSS A, Y14        \
	VFMADD231PS  Y12, Y14, LOW \
	VFMADD231PS  Y13, Y14, HIGH

#define STORE16(AT, LOW, HIGH) \
	VMOVUPS LOW, (AT)   \
	VMOVUPS HIGH, 32(AT)

// The arguments of tiles of six rows, of which R11 is the fourth, and Y0 to Y11 for sums.
#define TILE_ARGUMENTS \
	MOVQ k+0(FP), CX \
	MOVQ a+8(FP), SI \
	MOVQ lda+16(FP), R10 \
	MOVQ b+24(FP), DI \
	MOVQ ldb+32(FP), DX \
	MOVQ c+40(FP), R8 \
	MOVQ ldc+48(FP), R9 \
	SHLQ $2, R10 \
	SHLQ $2, DX \
	SHLQ $2, R9 \
	LEAQ (SI)(R10*2), R11 \
	ADDQ R10, R11 \
	VXORPS Y0, Y0, Y0 \
	VXORPS Y1, Y1, Y1 \
	VXORPS Y2, Y2, Y2 \
	VXORPS Y3, Y3, Y3 \
	VXORPS Y4, Y4, Y4 \
	VXORPS Y5, Y5, Y5 \
	VXORPS Y6, Y6, Y6 \
	VXORPS Y7, Y7, Y7 \
	VXORPS Y8, Y8, Y8 \
	VXORPS Y9, Y9, Y9 \
	VXORPS Y10, Y10, Y10 \
	VXORPS Y11, Y11, Y11

// func tile6x16(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
// Six rows of a times sixteen columns of b. Sums lie in Y0 to Y11.
TEXT ·tile6x16(SB), NOSPLIT, $0-56
	TILE_ARGUMENTS
loop:
	VMOVUPS (DI), Y12
	VMOVUPS 32(DI), Y13
	ROW16((SI), Y0, Y1)
	ROW16((SI)(R10*1), Y2, Y3)
	ROW16((SI)(R10*2), Y4, Y5)
	ROW16((R11), Y6, Y7)
	ROW16((R11)(R10*1), Y8, Y9)
	ROW16((R11)(R10*2), Y10, Y11)
	ADDQ $4, SI
	ADDQ $4, R11
	ADDQ DX, DI
	DECQ CX
	JNZ  loop
	STORE16(R8, Y0, Y1)
	ADDQ R9, R8
	STORE16(R8, Y2, Y3)
	ADDQ R9, R8
	STORE16(R8, Y4, Y5)
	ADDQ R9, R8
	STORE16(R8, Y6, Y7)
	ADDQ R9, R8
	STORE16(R8, Y8, Y9)
	ADDQ R9, R8
	STORE16(R8, Y10, Y11)
	VZEROUPPER
	RET

// func row32(k int, a, b *float32, ldb int, c *float32)
// One row of a times 32 columns of b. Even and odd k have sums of their own, so that
// eight additions are under way.
TEXT ·row32(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ ldb+24(FP), DX
	MOVQ c+32(FP), R8
	SHLQ $2, DX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   last
pair:
	VBROADCASTSS (SI), Y8
	VBROADCASTSS 4(SI), Y9
	VFMADD231PS (DI), Y8, Y0
	VFMADD231PS 32(DI), Y8, Y1
	VFMADD231PS 64(DI), Y8, Y2
	VFMADD231PS 96(DI), Y8, Y3
	VFMADD231PS (DI)(DX*1), Y9, Y4
	VFMADD231PS 32(DI)(DX*1), Y9, Y5
	VFMADD231PS 64(DI)(DX*1), Y9, Y6
	VFMADD231PS 96(DI)(DX*1), Y9, Y7
	ADDQ $8, SI
	LEAQ (DI)(DX*2), DI
	DECQ BX
	JNZ  pair
last:
	TESTQ $1, CX
	JZ   done
	VBROADCASTSS (SI), Y8
	VFMADD231PS (DI), Y8, Y0
	VFMADD231PS 32(DI), Y8, Y1
	VFMADD231PS 64(DI), Y8, Y2
	VFMADD231PS 96(DI), Y8, Y3
done:
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	VMOVUPS Y0, (R8)
	VMOVUPS Y1, 32(R8)
	VMOVUPS Y2, 64(R8)
	VMOVUPS Y3, 96(R8)
	VZEROUPPER
	RET

// func row16(k int, a, b *float32, ldb int, c *float32)
// As row32, for 16 columns.
TEXT ·row16(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ ldb+24(FP), DX
	MOVQ c+32(FP), R8
	SHLQ $2, DX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   last
pair:
	VBROADCASTSS (SI), Y8
	VBROADCASTSS 4(SI), Y9
	VFMADD231PS (DI), Y8, Y0
	VFMADD231PS 32(DI), Y8, Y1
	VFMADD231PS (DI)(DX*1), Y9, Y4
	VFMADD231PS 32(DI)(DX*1), Y9, Y5
	ADDQ $8, SI
	LEAQ (DI)(DX*2), DI
	DECQ BX
	JNZ  pair
last:
	TESTQ $1, CX
	JZ   done
	VBROADCASTSS (SI), Y8
	VFMADD231PS (DI), Y8, Y0
	VFMADD231PS 32(DI), Y8, Y1
done:
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VMOVUPS Y0, (R8)
	VMOVUPS Y1, 32(R8)
	VZEROUPPER
	RET

// Two steps of k in eight columns: the next two numbers of row X times the columns in Y12 and Y13.
#define ROW8(A, NEXT, EVEN, ODD) \
	VBROADCASTSS A, Y14       \
	VBROADCASTSS NEXT, Y15    \
	VFMADD231PS  Y12, Y14, EVEN \
	VFMADD231PS  Y13, Y15, ODD

#define LAST8(A, EVEN) \
	VBROADCASTSS A, Y14       \
	VFMADD231PS  Y12, Y14, EVEN

#define STORE8(EVEN, ODD) \
	VADDPS  ODD, EVEN, EVEN \
	VMOVUPS EVEN, (R8) \
	ADDQ    R9, R8

// func tile6x8(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
// Six rows of a times eight columns of b. Sums of even k lie in Y0 to Y5, of odd k in Y6 to Y11.
TEXT ·tile6x8(SB), NOSPLIT, $0-56
	TILE_ARGUMENTS
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   last
pair:
	VMOVUPS (DI), Y12
	VMOVUPS (DI)(DX*1), Y13
	ROW8((SI), 4(SI), Y0, Y6)
	ROW8((SI)(R10*1), 4(SI)(R10*1), Y1, Y7)
	ROW8((SI)(R10*2), 4(SI)(R10*2), Y2, Y8)
	ROW8((R11), 4(R11), Y3, Y9)
	ROW8((R11)(R10*1), 4(R11)(R10*1), Y4, Y10)
	ROW8((R11)(R10*2), 4(R11)(R10*2), Y5, Y11)
	ADDQ $8, SI
	ADDQ $8, R11
	LEAQ (DI)(DX*2), DI
	DECQ BX
	JNZ  pair
last:
	TESTQ $1, CX
	JZ   done
	VMOVUPS (DI), Y12
	LAST8((SI), Y0)
	LAST8((SI)(R10*1), Y1)
	LAST8((SI)(R10*2), Y2)
	LAST8((R11), Y3)
	LAST8((R11)(R10*1), Y4)
	LAST8((R11)(R10*2), Y5)
done:
	STORE8(Y0, Y6)
	STORE8(Y1, Y7)
	STORE8(Y2, Y8)
	STORE8(Y3, Y9)
	STORE8(Y4, Y10)
	STORE8(Y5, Y11)
	VZEROUPPER
	RET

// func row8(k int, a, b *float32, ldb int, c *float32)
// As row32, for 8 columns and with sums of their own for every fourth k.
TEXT ·row8(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ ldb+24(FP), DX
	MOVQ c+32(FP), R8
	SHLQ $2, DX
	LEAQ (DX)(DX*2), R9       // three rows of b
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ CX, BX
	SHRQ $2, BX
	JZ   last
four:
	VBROADCASTSS (SI), Y8
	VBROADCASTSS 4(SI), Y9
	VBROADCASTSS 8(SI), Y10
	VBROADCASTSS 12(SI), Y11
	VFMADD231PS (DI), Y8, Y0
	VFMADD231PS (DI)(DX*1), Y9, Y1
	VFMADD231PS (DI)(DX*2), Y10, Y2
	VFMADD231PS (DI)(R9*1), Y11, Y3
	ADDQ $16, SI
	LEAQ (DI)(DX*4), DI
	DECQ BX
	JNZ  four
last:
	ANDQ $3, CX
	JZ   done
one:
	VBROADCASTSS (SI), Y8
	VFMADD231PS (DI), Y8, Y0
	ADDQ $4, SI
	ADDQ DX, DI
	DECQ CX
	JNZ  one
done:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	VMOVUPS Y0, (R8)
	VZEROUPPER
	RET

// func dots4(groups, k int, a, b *float32, ldb int, out *float32)
// The products of the vector a with groups of four rows of b, k a multiple of eight.
TEXT ·dots4(SB), NOSPLIT, $0-48
	MOVQ groups+0(FP), BX
	MOVQ k+8(FP), CX
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DI
	MOVQ ldb+32(FP), DX
	MOVQ out+40(FP), R8
	SHLQ $2, DX
	SHLQ $2, CX
group:
	LEAQ (DI)(DX*2), R11
	MOVQ DI, R12
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ R9, R9
loop:
	VMOVUPS (SI)(R9*1), Y4
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS (DI)(DX*1), Y4, Y1
	VFMADD231PS (R11), Y4, Y2
	VFMADD231PS (R11)(DX*1), Y4, Y3
	ADDQ $32, DI
	ADDQ $32, R11
	ADDQ $32, R9
	CMPQ R9, CX
	JLT  loop
	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y2, Y0, Y0         // of each half the sums of four rows
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (R8)
	ADDQ $16, R8
	LEAQ (R12)(DX*4), DI
	DECQ BX
	JNZ  group
	VZEROUPPER
	RET

// Functions of two vectors of n numbers, a multiple of eight, or of one and a number.
#define ZIP(NAME, OP) \
TEXT NAME(SB), NOSPLIT, $0-32 \
	MOVQ n+0(FP), CX    \
	MOVQ z+8(FP), DI    \
	MOVQ x+16(FP), SI   \
	MOVQ y+24(FP), DX   \
	XORQ R9, R9         \
loop:                   \
	VMOVUPS (SI)(R9*4), Y0     \
	OP (DX)(R9*4), Y0, Y0      \
	VMOVUPS Y0, (DI)(R9*4)     \
	ADDQ $8, R9         \
	CMPQ R9, CX         \
	JLT  loop           \
	VZEROUPPER          \
	RET

#define WITH(NAME, OP) \
TEXT NAME(SB), NOSPLIT, $0-32 \
	MOVQ n+0(FP), CX    \
	MOVQ z+8(FP), DI    \
	MOVQ x+16(FP), SI   \
	VBROADCASTSS y+24(FP), Y1 \
	XORQ R9, R9         \
loop:                   \
	VMOVUPS (SI)(R9*4), Y0     \
	OP Y1, Y0, Y0       \
	VMOVUPS Y0, (DI)(R9*4)     \
	ADDQ $8, R9         \
	CMPQ R9, CX         \
	JLT  loop           \
	VZEROUPPER          \
	RET

// func add8(n int, z, x, y *float32)
ZIP(·add8, VADDPS)

// func sub8(n int, z, x, y *float32)
ZIP(·sub8, VSUBPS)

// func mul8(n int, z, x, y *float32)
ZIP(·mul8, VMULPS)

// func div8(n int, z, x, y *float32)
ZIP(·div8, VDIVPS)

// func addWith8(n int, z, x *float32, y float32)
WITH(·addWith8, VADDPS)

// func subWith8(n int, z, x *float32, y float32)
WITH(·subWith8, VSUBPS)

// func mulWith8(n int, z, x *float32, y float32)
WITH(·mulWith8, VMULPS)

// func divWith8(n int, z, x *float32, y float32)
WITH(·divWith8, VDIVPS)

// func relu8(n int, z, x *float32)
// The operand that VMAXPS gives where one is NaN is x.
TEXT ·relu8(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ z+8(FP), DI
	MOVQ x+16(FP), SI
	VXORPS Y1, Y1, Y1
	XORQ R9, R9
loop:
	VMAXPS (SI)(R9*4), Y1, Y0
	VMOVUPS Y0, (DI)(R9*4)
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	VZEROUPPER
	RET

// func negAbs8(n int, z, x *float32)
TEXT ·negAbs8(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ z+8(FP), DI
	MOVQ x+16(FP), SI
	MOVL $0x80000000, AX      // the sign
	VMOVD AX, X1
	VPBROADCASTD X1, Y1
	XORQ R9, R9
loop:
	VORPS (SI)(R9*4), Y1, Y0
	VMOVUPS Y0, (DI)(R9*4)
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	VZEROUPPER
	RET

// func logistic8(n int, z, e, x *float32)
// 1 / (1 + e), or e / (1 + e) where x has a sign.
TEXT ·logistic8(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ z+8(FP), DI
	MOVQ e+16(FP), DX
	MOVQ x+24(FP), SI
	MOVL $0x3f800000, AX      // 1
	VMOVD AX, X1
	VPBROADCASTD X1, Y1
	XORQ R9, R9
loop:
	VMOVUPS (DX)(R9*4), Y2
	VMOVUPS (SI)(R9*4), Y3
	VBLENDVPS Y3, Y2, Y1, Y0
	VADDPS Y2, Y1, Y2
	VDIVPS Y2, Y0, Y0
	VMOVUPS Y0, (DI)(R9*4)
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	VZEROUPPER
	RET

// func max8(n int, x *float32) float32
// The largest of n numbers, NaN where one is. VMAXPS forgets what was NaN before: Y2 notes it.
TEXT ·max8(SB), NOSPLIT, $0-20
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	VMOVUPS (SI), Y0
	VXORPS Y2, Y2, Y2
	XORQ R9, R9
loop:
	VMOVUPS (SI)(R9*4), Y1
	VMAXPS Y1, Y0, Y0
	VCMPPS $3, Y1, Y1, Y3     // NaN is unordered to itself
	VORPS Y3, Y2, Y2
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x0e, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x01, X0, X1
	VMAXSS X1, X0, X0
	VMOVMSKPS Y2, AX
	TESTL AX, AX
	JZ   store
	MOVL $0x7fc00000, AX      // NaN
	VMOVD AX, X0
store:
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

#define HORIZONTAL \
	VEXTRACTF128 $1, Y0, X1  \
	VADDPS X1, X0, X0        \
	VHADDPS X0, X0, X0       \
	VHADDPS X0, X0, X0

// func dot8(n int, x, y *float32) float32
TEXT ·dot8(SB), NOSPLIT, $0-28
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	VXORPS Y0, Y0, Y0
	VXORPS Y2, Y2, Y2
	XORQ R9, R9
	SUBQ $16, CX
	JLT  rest
loop:
	VMOVUPS (SI)(R9*4), Y1
	VMOVUPS 32(SI)(R9*4), Y3
	VFMADD231PS (DX)(R9*4), Y1, Y0
	VFMADD231PS 32(DX)(R9*4), Y3, Y2
	ADDQ $16, R9
	CMPQ R9, CX
	JLE  loop
rest:
	ADDQ $16, CX
	CMPQ R9, CX
	JGE  done
	VMOVUPS (SI)(R9*4), Y1
	VFMADD231PS (DX)(R9*4), Y1, Y0
done:
	VADDPS Y2, Y0, Y0
	HORIZONTAL
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func sum8(n int, x *float32) float32
TEXT ·sum8(SB), NOSPLIT, $0-20
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), SI
	VXORPS Y0, Y0, Y0
	XORQ R9, R9
loop:
	VADDPS (SI)(R9*4), Y0, Y0
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	HORIZONTAL
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func exp8(n int, z, x *float32, top float32, consts *float32) float32
// z = exp(x − top), zero below the cut, and the sum of z. With t = n·ln 2 + r, |r| ≤ ½ ln 2,
// exp t is 2ⁿ times the Taylor polynomial of exp r of degree 7. ln 2 is subtracted in two
// parts, the first of which has few enough bits for the product to be exact.
TEXT ·exp8(SB), NOSPLIT, $0-44
	MOVQ n+0(FP), CX
	MOVQ z+8(FP), DI
	MOVQ x+16(FP), SI
	VBROADCASTSS top+24(FP), Y15
	MOVQ consts+32(FP), DX
	VBROADCASTSS (DX), Y14     // the cut
	VBROADCASTSS 4(DX), Y13    // 1/ln 2
	VBROADCASTSS 8(DX), Y12    // ln 2, first part
	VBROADCASTSS 12(DX), Y11   // ln 2, second part
	VBROADCASTSS 16(DX), Y10   // 1/7!
	VBROADCASTSS 20(DX), Y9    // 1/6!
	VBROADCASTSS 24(DX), Y8    // 1/5!
	VBROADCASTSS 28(DX), Y7    // 1/4!
	VBROADCASTSS 32(DX), Y6    // 1/3!
	VBROADCASTSS 36(DX), Y5    // 1/2!
	VBROADCASTSS 40(DX), Y4    // 1
	VXORPS Y0, Y0, Y0
	XORQ R9, R9
loop:
	VMOVUPS (SI)(R9*4), Y1
	VSUBPS Y15, Y1, Y1         // t
	VMULPS Y13, Y1, Y2
	VROUNDPS $0, Y2, Y2        // n
	VMOVAPS Y1, Y3
	VFNMADD231PS Y12, Y2, Y3
	VFNMADD231PS Y11, Y2, Y3   // r
	VCMPPS $1, Y14, Y1, Y1     // t below the cut
	VCVTPS2DQ Y2, Y2
	VPSLLD $23, Y2, Y2
	VPADDD Y4, Y2, Y2          // 2ⁿ: 1 with another exponent
	VMOVAPS Y9, Y15
	VFMADD231PS Y10, Y3, Y15
	VFMADD213PS Y8, Y3, Y15
	VFMADD213PS Y7, Y3, Y15
	VFMADD213PS Y6, Y3, Y15
	VFMADD213PS Y5, Y3, Y15
	VFMADD213PS Y4, Y3, Y15
	VFMADD213PS Y4, Y3, Y15
	VMULPS Y15, Y2, Y2
	VANDNPS Y2, Y1, Y2
	VBROADCASTSS top+24(FP), Y15
	VADDPS Y2, Y0, Y0
	VMOVUPS Y2, (DI)(R9*4)
	ADDQ $8, R9
	CMPQ R9, CX
	JLT  loop
	HORIZONTAL
	VMOVSS X0, ret+40(FP)
	VZEROUPPER
	RET
