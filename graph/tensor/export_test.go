package tensor

// Float16Of and ToBFloat16 round a number.
var (
	Float16Of  = float16Of
	ToBFloat16 = bfloat16Of
)

// BFloat16Of is the value of a bfloat16.
func BFloat16Of(bits uint16) float32 { return BFloat16Bits(bits).float32() }
