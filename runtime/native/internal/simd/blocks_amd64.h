// Arguments of products of a row with a panel of integers in blocks.
#define ARGUMENTS \
	MOVQ blocks+0(FP), CX \
	MOVQ size+8(FP), DX   \
	MOVQ a+16(FP), SI     \
	MOVQ b+24(FP), DI     \
	MOVQ scale+32(FP), R10 \
	MOVQ c+40(FP), R8
