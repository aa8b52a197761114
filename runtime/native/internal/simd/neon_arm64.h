// Instructions that Go's assembler has no names for, on vectors of four numbers: D = N op M, by the numbers of registers.
#define FADD(M, N, D) WORD $(0x4E20D400 | (M)<<16 | (N)<<5 | (D))
#define FSUB(M, N, D) WORD $(0x4EA0D400 | (M)<<16 | (N)<<5 | (D))
#define FMUL(M, N, D) WORD $(0x6E20DC00 | (M)<<16 | (N)<<5 | (D))
#define FDIV(M, N, D) WORD $(0x6E20FC00 | (M)<<16 | (N)<<5 | (D))
#define FMAX(M, N, D) WORD $(0x4E20F400 | (M)<<16 | (N)<<5 | (D))   // NaN where one is
#define FADDP(M, N, D) WORD $(0x6E20D400 | (M)<<16 | (N)<<5 | (D))  // sums of neighbours: of N, then of M
#define FCMGT(M, N, D) WORD $(0x6EA0E400 | (M)<<16 | (N)<<5 | (D))  // all bits where N > M
#define BIC(M, N, D) WORD $(0x4E601C00 | (M)<<16 | (N)<<5 | (D))    // N and not M
#define FMAXV(N, D) WORD $(0x6E30F800 | (N)<<5 | (D))
#define FRINTN(N, D) WORD $(0x4E218800 | (N)<<5 | (D))              // to the nearest, ties to even
#define FCVTZS(N, D) WORD $(0x4EA1B800 | (N)<<5 | (D))              // bounded to 32 bits
#define SQXTN(N, D) WORD $(0x0E614800 | (N)<<5 | (D))               // int32 to int16, bounded, into the lower half
#define SQXTN2(N, D) WORD $(0x4E614800 | (N)<<5 | (D))              // into the upper half
#define SQXTUN(N, D) WORD $(0x2E212800 | (N)<<5 | (D))              // int16 to uint8, bounded

#define CLEAR4(A, B, C, D) \
	VEOR A.B16, A.B16, A.B16 \
	VEOR B.B16, B.B16, B.B16 \
	VEOR C.B16, C.B16, C.B16 \
	VEOR D.B16, D.B16, D.B16
