#include "textflag.h"

// Kernels for AVX-512 (F). They do what those of avx2_amd64.s do.

#define ROW32(A, LOW, HIGH) \
	VBROADCASTSS A, Z18        \
	VFMADD231PS  Z16, Z18, LOW \
	VFMADD231PS  Z17, Z18, HIGH

#define STORE32(LOW, HIGH) \
	VMOVUPS LOW, (R8)    \
	VMOVUPS HIGH, 64(R8) \
	ADDQ R9, R8

// func tile8x32(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
// Eight rows of a times 32 columns of b. Sums lie in Z0 to Z15.
TEXT ·tile8x32(SB), NOSPLIT, $0-56
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R10
	MOVQ b+24(FP), DI
	MOVQ ldb+32(FP), DX
	MOVQ c+40(FP), R8
	MOVQ ldc+48(FP), R9
	SHLQ $2, R10
	SHLQ $2, DX
	SHLQ $2, R9
	LEAQ (R10)(R10*2), R13
	LEAQ (SI)(R13*1), R11      // the fourth row of a
	LEAQ (SI)(R13*2), R12      // the seventh
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15
loop:
	VMOVUPS (DI), Z16
	VMOVUPS 64(DI), Z17
	ROW32((SI), Z0, Z1)
	ROW32((SI)(R10*1), Z2, Z3)
	ROW32((SI)(R10*2), Z4, Z5)
	ROW32((R11), Z6, Z7)
	ROW32((R11)(R10*1), Z8, Z9)
	ROW32((R11)(R10*2), Z10, Z11)
	ROW32((R12), Z12, Z13)
	ROW32((R12)(R10*1), Z14, Z15)
	ADDQ $4, SI
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ DX, DI
	DECQ CX
	JNZ  loop
	STORE32(Z0, Z1)
	STORE32(Z2, Z3)
	STORE32(Z4, Z5)
	STORE32(Z6, Z7)
	STORE32(Z8, Z9)
	STORE32(Z10, Z11)
	STORE32(Z12, Z13)
	STORE32(Z14, Z15)
	VZEROUPPER
	RET

// func row32wide(k int, a, b *float32, ldb int, c *float32)
// One row of a times 32 columns of b; two sums for each, of even and of odd k.
TEXT ·row32wide(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DI
	MOVQ ldb+24(FP), DX
	MOVQ c+32(FP), R8
	SHLQ $2, DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   last
pair:
	VBROADCASTSS (SI), Z8
	VBROADCASTSS 4(SI), Z9
	VFMADD231PS (DI), Z8, Z0
	VFMADD231PS 64(DI), Z8, Z1
	VFMADD231PS (DI)(DX*1), Z9, Z2
	VFMADD231PS 64(DI)(DX*1), Z9, Z3
	ADDQ $8, SI
	LEAQ (DI)(DX*2), DI
	DECQ BX
	JNZ  pair
last:
	TESTQ $1, CX
	JZ   done
	VBROADCASTSS (SI), Z8
	VFMADD231PS (DI), Z8, Z0
	VFMADD231PS 64(DI), Z8, Z1
done:
	VADDPS Z2, Z0, Z0
	VADDPS Z3, Z1, Z1
	VMOVUPS Z0, (R8)
	VMOVUPS Z1, 64(R8)
	VZEROUPPER
	RET
