#include "textflag.h"
#include "neon_arm64.h"

// Kernels for NEON, which every arm64 has. Lengths and strides count float32 numbers. Sums start from zero and what is in the place
// of the result does not count.

// The arguments of tiles of six rows, which R1 and R3 to R7 point to, and V0 to V11 for sums.
#define TILE_ARGUMENTS \
	MOVD k+0(FP), R0 \
	MOVD a+8(FP), R1 \
	MOVD lda+16(FP), R2 \
	MOVD b+24(FP), R8 \
	MOVD ldb+32(FP), R9 \
	MOVD c+40(FP), R10 \
	MOVD ldc+48(FP), R11 \
	LSL  $2, R2 \
	LSL  $2, R9 \
	LSL  $2, R11 \
	ADD  R2, R1, R3 \
	ADD  R2, R3, R4 \
	ADD  R2, R4, R5 \
	ADD  R2, R5, R6 \
	ADD  R2, R6, R7 \
	CLEAR4(V0, V1, V2, V3) \
	CLEAR4(V4, V5, V6, V7) \
	CLEAR4(V8, V9, V10, V11)

// The arguments of a row, and V0 to V3 for sums.
#define ROW_ARGUMENTS \
	MOVD k+0(FP), R0 \
	MOVD a+8(FP), R1 \
	MOVD b+16(FP), R2 \
	MOVD ldb+24(FP), R3 \
	MOVD c+32(FP), R4 \
	LSL  $2, R3 \
	CLEAR4(V0, V1, V2, V3)

// Sixteen columns of b, V24 to V27, times a number of a, X, are added to four sums.
#define ADD16(X, A, B, C, D) \
	VFMLA V24.S4, X.S4, A.S4 \
	VFMLA V25.S4, X.S4, B.S4 \
	VFMLA V26.S4, X.S4, C.S4 \
	VFMLA V27.S4, X.S4, D.S4

// func tile6x16(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
// Six rows of a times sixteen columns of b. Sums lie in V0 to V23.
TEXT ·tile6x16(SB), NOSPLIT, $0-56
	TILE_ARGUMENTS
	CLEAR4(V12, V13, V14, V15)
	CLEAR4(V16, V17, V18, V19)
	CLEAR4(V20, V21, V22, V23)
loop:
	VLD1.P  (R8)(R9), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1R.P 4(R1), [V28.S4]
	VLD1R.P 4(R3), [V29.S4]
	VLD1R.P 4(R4), [V30.S4]
	VLD1R.P 4(R5), [V31.S4]
	ADD16(V28, V0, V1, V2, V3)
	VLD1R.P 4(R6), [V28.S4]
	ADD16(V29, V4, V5, V6, V7)
	VLD1R.P 4(R7), [V29.S4]
	ADD16(V30, V8, V9, V10, V11)
	ADD16(V31, V12, V13, V14, V15)
	ADD16(V28, V16, V17, V18, V19)
	ADD16(V29, V20, V21, V22, V23)
	SUB  $1, R0
	CBNZ R0, loop
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R10)
	ADD  R11, R10
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R10)
	ADD  R11, R10
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R10)
	ADD  R11, R10
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R10)
	ADD  R11, R10
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R10)
	ADD  R11, R10
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R10)
	RET

// One row of b, 32 columns, times the next number of a is added to eight sums.
#define STEP32(A, B, C, D, E, F, G, H) \
	VLD1R.P 4(R1), [V24.S4] \
	ADD     $64, R2, R5 \
	VLD1.P  (R2)(R3), [V16.S4, V17.S4, V18.S4, V19.S4] \
	VLD1    (R5), [V20.S4, V21.S4, V22.S4, V23.S4] \
	VFMLA   V16.S4, V24.S4, A.S4 \
	VFMLA   V17.S4, V24.S4, B.S4 \
	VFMLA   V18.S4, V24.S4, C.S4 \
	VFMLA   V19.S4, V24.S4, D.S4 \
	VFMLA   V20.S4, V24.S4, E.S4 \
	VFMLA   V21.S4, V24.S4, F.S4 \
	VFMLA   V22.S4, V24.S4, G.S4 \
	VFMLA   V23.S4, V24.S4, H.S4

// func row32(k int, a, b *float32, ldb int, c *float32)
// One row of a times 32 columns of b. Even and odd k have sums of their own, so that sixteen additions are under way.
TEXT ·row32(SB), NOSPLIT, $0-40
	ROW_ARGUMENTS
	CLEAR4(V4, V5, V6, V7)
	CLEAR4(V8, V9, V10, V11)
	CLEAR4(V12, V13, V14, V15)
	LSR  $1, R0, R6
	CBZ  R6, last
pair:
	STEP32(V0, V1, V2, V3, V4, V5, V6, V7)
	STEP32(V8, V9, V10, V11, V12, V13, V14, V15)
	SUB  $1, R6
	CBNZ R6, pair
last:
	TBZ  $0, R0, done
	STEP32(V0, V1, V2, V3, V4, V5, V6, V7)
done:
	FADD(8, 0, 0)
	FADD(9, 1, 1)
	FADD(10, 2, 2)
	FADD(11, 3, 3)
	FADD(12, 4, 4)
	FADD(13, 5, 5)
	FADD(14, 6, 6)
	FADD(15, 7, 7)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R4)
	VST1   [V4.S4, V5.S4, V6.S4, V7.S4], (R4)
	RET

// func row16(k int, a, b *float32, ldb int, c *float32)
// As row32, for 16 columns.
TEXT ·row16(SB), NOSPLIT, $0-40
	ROW_ARGUMENTS
	CLEAR4(V4, V5, V6, V7)
	LSR  $1, R0, R6
	CBZ  R6, last
pair:
	VLD1.P  (R2)(R3), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1R.P 4(R1), [V28.S4]
	ADD16(V28, V0, V1, V2, V3)
	VLD1.P  (R2)(R3), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1R.P 4(R1), [V28.S4]
	ADD16(V28, V4, V5, V6, V7)
	SUB  $1, R6
	CBNZ R6, pair
last:
	TBZ  $0, R0, done
	VLD1 (R2), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1R (R1), [V28.S4]
	ADD16(V28, V0, V1, V2, V3)
done:
	FADD(4, 0, 0)
	FADD(5, 1, 1)
	FADD(6, 2, 2)
	FADD(7, 3, 3)
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R4)
	RET

// Eight columns of b, V24 and V25, times a number of a, X, are added to two sums.
#define ADDTWO(X, A, B) \
	VFMLA V24.S4, X.S4, A.S4 \
	VFMLA V25.S4, X.S4, B.S4

#define STORE8(A, B) \
	VST1 [A.S4, B.S4], (R10) \
	ADD  R11, R10

// func tile6x8(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
// Six rows of a times eight columns of b. Sums lie in V0 to V11.
TEXT ·tile6x8(SB), NOSPLIT, $0-56
	TILE_ARGUMENTS
loop:
	VLD1.P  (R8)(R9), [V24.S4, V25.S4]
	VLD1R.P 4(R1), [V26.S4]
	VLD1R.P 4(R3), [V27.S4]
	VLD1R.P 4(R4), [V28.S4]
	VLD1R.P 4(R5), [V29.S4]
	VLD1R.P 4(R6), [V30.S4]
	VLD1R.P 4(R7), [V31.S4]
	ADDTWO(V26, V0, V1)
	ADDTWO(V27, V2, V3)
	ADDTWO(V28, V4, V5)
	ADDTWO(V29, V6, V7)
	ADDTWO(V30, V8, V9)
	ADDTWO(V31, V10, V11)
	SUB  $1, R0
	CBNZ R0, loop
	STORE8(V0, V1)
	STORE8(V2, V3)
	STORE8(V4, V5)
	STORE8(V6, V7)
	STORE8(V8, V9)
	STORE8(V10, V11)
	RET

// func row8(k int, a, b *float32, ldb int, c *float32)
// As row32, for 8 columns.
TEXT ·row8(SB), NOSPLIT, $0-40
	ROW_ARGUMENTS
	LSR  $1, R0, R6
	CBZ  R6, last
pair:
	VLD1.P  (R2)(R3), [V24.S4, V25.S4]
	VLD1R.P 4(R1), [V28.S4]
	ADDTWO(V28, V0, V1)
	VLD1.P  (R2)(R3), [V24.S4, V25.S4]
	VLD1R.P 4(R1), [V29.S4]
	ADDTWO(V29, V2, V3)
	SUB  $1, R6
	CBNZ R6, pair
last:
	TBZ  $0, R0, done
	VLD1  (R2), [V24.S4, V25.S4]
	VLD1R (R1), [V28.S4]
	ADDTWO(V28, V0, V1)
done:
	FADD(2, 0, 0)
	FADD(3, 1, 1)
	VST1 [V0.S4, V1.S4], (R4)
	RET

// Eight numbers of a, V16 and V17, times those of a row of b are added to two sums.
#define ADD8(AT, LOW, HIGH) \
	VLD1.P 32(AT), [V18.S4, V19.S4] \
	VFMLA  V18.S4, V16.S4, LOW.S4 \
	VFMLA  V19.S4, V17.S4, HIGH.S4

// func dots4(groups, k int, a, b *float32, ldb int, out *float32)
// The products of the vector a with groups of four rows of b, k a multiple of eight.
TEXT ·dots4(SB), NOSPLIT, $0-48
	MOVD groups+0(FP), R0
	MOVD k+8(FP), R1
	MOVD a+16(FP), R2
	MOVD b+24(FP), R3
	MOVD ldb+32(FP), R4
	MOVD out+40(FP), R5
	LSL  $2, R4
group:
	MOVD R2, R6
	MOVD R3, R7
	ADD  R4, R7, R8
	ADD  R4, R8, R9
	ADD  R4, R9, R10
	ADD  R4, R10, R3
	MOVD R1, R11
	CLEAR4(V0, V1, V2, V3)
	CLEAR4(V4, V5, V6, V7)
loop:
	VLD1.P 32(R6), [V16.S4, V17.S4]
	ADD8(R7, V0, V1)
	ADD8(R8, V2, V3)
	ADD8(R9, V4, V5)
	ADD8(R10, V6, V7)
	SUBS $8, R11
	BNE  loop
	FADD(1, 0, 0)
	FADD(3, 2, 2)
	FADD(5, 4, 4)
	FADD(7, 6, 6)
	FADDP(2, 0, 0)
	FADDP(6, 4, 4)
	FADDP(4, 0, 0)
	VST1.P [V0.S4], 16(R5)
	SUB  $1, R0
	CBNZ R0, group
	RET

// Functions of two vectors of n numbers, a multiple of eight, or of one and a number.
#define ZIP(NAME, OP) \
TEXT NAME(SB), NOSPLIT, $0-32 \
	MOVD n+0(FP), R0 \
	MOVD z+8(FP), R1 \
	MOVD x+16(FP), R2 \
	MOVD y+24(FP), R3 \
loop: \
	VLD1.P 32(R2), [V0.S4, V1.S4] \
	VLD1.P 32(R3), [V2.S4, V3.S4] \
	OP(2, 0, 0) \
	OP(3, 1, 1) \
	VST1.P [V0.S4, V1.S4], 32(R1) \
	SUBS $8, R0 \
	BNE  loop \
	RET

#define WITH(NAME, OP) \
TEXT NAME(SB), NOSPLIT, $0-32 \
	MOVD  n+0(FP), R0 \
	MOVD  z+8(FP), R1 \
	MOVD  x+16(FP), R2 \
	FMOVS y+24(FP), F2 \
	VDUP  V2.S[0], V2.S4 \
loop: \
	VLD1.P 32(R2), [V0.S4, V1.S4] \
	OP(2, 0, 0) \
	OP(2, 1, 1) \
	VST1.P [V0.S4, V1.S4], 32(R1) \
	SUBS $8, R0 \
	BNE  loop \
	RET

// func add8(n int, z, x, y *float32)
ZIP(·add8, FADD)

// func sub8(n int, z, x, y *float32)
ZIP(·sub8, FSUB)

// func mul8(n int, z, x, y *float32)
ZIP(·mul8, FMUL)

// func div8(n int, z, x, y *float32)
ZIP(·div8, FDIV)

// func addWith8(n int, z, x *float32, y float32)
WITH(·addWith8, FADD)

// func subWith8(n int, z, x *float32, y float32)
WITH(·subWith8, FSUB)

// func mulWith8(n int, z, x *float32, y float32)
WITH(·mulWith8, FMUL)

// func divWith8(n int, z, x *float32, y float32)
WITH(·divWith8, FDIV)

// func relu8(n int, z, x *float32)
TEXT ·relu8(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD z+8(FP), R1
	MOVD x+16(FP), R2
	VEOR V2.B16, V2.B16, V2.B16
loop:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	FMAX(2, 0, 0)
	FMAX(2, 1, 1)
	VST1.P [V0.S4, V1.S4], 32(R1)
	SUBS $8, R0
	BNE  loop
	RET

// func negAbs8(n int, z, x *float32)
TEXT ·negAbs8(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD z+8(FP), R1
	MOVD x+16(FP), R2
	MOVD $0x80000000, R3 // the sign
	VDUP R3, V2.S4
loop:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	VORR V2.B16, V0.B16, V0.B16
	VORR V2.B16, V1.B16, V1.B16
	VST1.P [V0.S4, V1.S4], 32(R1)
	SUBS $8, R0
	BNE  loop
	RET

// func logistic8(n int, z, e, x *float32)
// 1 / (1 + e), or e / (1 + e) where x has a sign.
TEXT ·logistic8(SB), NOSPLIT, $0-32
	MOVD n+0(FP), R0
	MOVD z+8(FP), R1
	MOVD e+16(FP), R2
	MOVD x+24(FP), R3
	MOVD $0x80000000, R4 // the sign
	VDUP R4, V6.S4
	MOVD $0x3f800000, R4 // 1
	VDUP R4, V7.S4
loop:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	VLD1.P 32(R3), [V2.S4, V3.S4]
	VCMTST V6.S4, V2.S4, V2.S4
	VCMTST V6.S4, V3.S4, V3.S4
	VBSL V7.B16, V0.B16, V2.B16
	VBSL V7.B16, V1.B16, V3.B16
	FADD(7, 0, 0)
	FADD(7, 1, 1)
	FDIV(0, 2, 2)
	FDIV(1, 3, 3)
	VST1.P [V2.S4, V3.S4], 32(R1)
	SUBS $8, R0
	BNE  loop
	RET

// func max8(n int, x *float32) float32
// The largest of n numbers, NaN where one is.
TEXT ·max8(SB), NOSPLIT, $0-20
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	VLD1 (R1), [V0.S4, V1.S4]
loop:
	VLD1.P 32(R1), [V2.S4, V3.S4]
	FMAX(2, 0, 0)
	FMAX(3, 1, 1)
	SUBS $8, R0
	BNE  loop
	FMAX(1, 0, 0)
	FMAXV(0, 0)
	FMOVS F0, ret+16(FP)
	RET

// func dot8(n int, x, y *float32) float32
TEXT ·dot8(SB), NOSPLIT, $0-28
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD y+16(FP), R2
	CLEAR4(V0, V1, V2, V3)
	SUBS $16, R0
	BLT  rest
loop:
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R2), [V20.S4, V21.S4, V22.S4, V23.S4]
	VFMLA  V16.S4, V20.S4, V0.S4
	VFMLA  V17.S4, V21.S4, V1.S4
	VFMLA  V18.S4, V22.S4, V2.S4
	VFMLA  V19.S4, V23.S4, V3.S4
	SUBS $16, R0
	BGE  loop
rest:
	TBZ  $3, R0, done
	VLD1  (R1), [V16.S4, V17.S4]
	VLD1  (R2), [V20.S4, V21.S4]
	VFMLA V16.S4, V20.S4, V0.S4
	VFMLA V17.S4, V21.S4, V1.S4
done:
	FADD(1, 0, 0)
	FADD(3, 2, 2)
	FADD(2, 0, 0)
	FADDP(0, 0, 0)
	FADDP(0, 0, 0)
	FMOVS F0, ret+24(FP)
	RET

// func sum8(n int, x *float32) float32
TEXT ·sum8(SB), NOSPLIT, $0-20
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
loop:
	VLD1.P 32(R1), [V2.S4, V3.S4]
	FADD(2, 0, 0)
	FADD(3, 1, 1)
	SUBS $8, R0
	BNE  loop
	FADD(1, 0, 0)
	FADDP(0, 0, 0)
	FADDP(0, 0, 0)
	FMOVS F0, ret+16(FP)
	RET

// P = C + P·R, by way of Q.
#define HORNER(C, P, Q, R) \
	VMOV  C.B16, Q.B16 \
	VFMLA P.S4, R.S4, Q.S4 \
	VMOV  Q.B16, P.B16

// The exponential of t = X − V15, where n is N, r is R and the polynomial is P; X and Q are given up. Registers stand beside their
// numbers.
#define EXP(X, x, N, n, R, P, p, Q) \
	FSUB(15, x, x) \
	FMUL(17, x, n) \
	FRINTN(n, n) \
	VMOV  X.B16, R.B16 \
	VFMLS V18.S4, N.S4, R.S4 \
	VFMLS V19.S4, N.S4, R.S4 \
	FCMGT(x, 16, x) \
	FCVTZS(n, n) \
	VSHL  $23, N.S4, N.S4 \
	VADD  V26.S4, N.S4, N.S4 \
	VMOV  V20.B16, P.B16 \
	HORNER(V21, P, Q, R) \
	HORNER(V22, P, Q, R) \
	HORNER(V23, P, Q, R) \
	HORNER(V24, P, Q, R) \
	HORNER(V25, P, Q, R) \
	HORNER(V26, P, Q, R) \
	HORNER(V26, P, Q, R) \
	FMUL(n, p, p) \
	BIC(x, p, p)

// func exp8(n int, z, x *float32, top float32, consts *float32) float32
// z = exp(x − top), zero below the cut, and the sum of z. With t = n·ln 2 + r, |r| ≤ ½ ln 2, exp t is 2ⁿ times the Taylor
// polynomial of exp r of degree 7. ln 2 is subtracted in two parts, the first of which has few enough bits for the product to be
// exact. 2ⁿ is 1 with another exponent.
TEXT ·exp8(SB), NOSPLIT, $0-44
	MOVD  n+0(FP), R0
	MOVD  z+8(FP), R1
	MOVD  x+16(FP), R2
	FMOVS top+24(FP), F15
	MOVD  consts+32(FP), R3
	VDUP  V15.S[0], V15.S4
	VLD1R.P 4(R3), [V16.S4] // the cut
	VLD1R.P 4(R3), [V17.S4] // 1/ln 2
	VLD1R.P 4(R3), [V18.S4] // ln 2, first part
	VLD1R.P 4(R3), [V19.S4] // ln 2, second part
	VLD1R.P 4(R3), [V20.S4] // 1/7!
	VLD1R.P 4(R3), [V21.S4] // 1/6!
	VLD1R.P 4(R3), [V22.S4] // 1/5!
	VLD1R.P 4(R3), [V23.S4] // 1/4!
	VLD1R.P 4(R3), [V24.S4] // 1/3!
	VLD1R.P 4(R3), [V25.S4] // 1/2!
	VLD1R   (R3), [V26.S4]  // 1
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
loop:
	VLD1.P 16(R2), [V0.S4]
	VLD1.P 16(R2), [V5.S4]
	EXP(V0, 0, V1, 1, V2, V3, 3, V4)
	EXP(V5, 5, V6, 6, V7, V8, 8, V9)
	FADD(3, 27, 27)
	FADD(8, 28, 28)
	VST1.P [V3.S4], 16(R1)
	VST1.P [V8.S4], 16(R1)
	SUBS $8, R0
	BNE  loop
	FADD(28, 27, 27)
	FADDP(27, 27, 27)
	FADDP(27, 27, 27)
	FMOVS F27, ret+40(FP)
	RET

// func quantize8(n int, out *uint8, x *float32, scale, zero float32)
// x / scale, to the nearest, ties to even, plus zero, bounded to 0…255.
TEXT ·quantize8(SB), NOSPLIT, $0-32
	MOVD  n+0(FP), R0
	MOVD  out+8(FP), R1
	MOVD  x+16(FP), R2
	FMOVS scale+24(FP), F16
	FMOVS zero+28(FP), F17
	VDUP  V16.S[0], V16.S4
	VDUP  V17.S[0], V17.S4
loop:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	FDIV(16, 0, 0)
	FDIV(16, 1, 1)
	FRINTN(0, 0)
	FRINTN(1, 1)
	FADD(17, 0, 0)
	FADD(17, 1, 1)
	FCVTZS(0, 0)
	FCVTZS(1, 1)
	SQXTN(0, 2)
	SQXTN2(1, 2)
	SQXTUN(2, 2)
	VST1.P [V2.B8], 8(R1)
	SUBS $8, R0
	BNE  loop
	RET
