// Package models builds the zoo's architectures as graphs. One Go function per
// architecture serves training, export and the pure-Go engine. The package
// reads and writes no files and runs nothing.
//
// # States
//
// The graph of a file takes the states of earlier tokens and gives those with the new
// ones. A decoder writes them in place: keys and values [B,H,S,K] have room for S slots,
// the input cache_position [T] says which the new tokens take, and ScatterND writes them,
// for every S. Attention goes over all S slots. Slots not filled come after every query,
// so the causal mask hides them; the input attention_mask [B,S] hides padding. A layer with
// a sliding window of W tokens keeps keys and values of the last W−1 slots only. With
// Mode.Growing a state is as long as what is filled, and a run writes a longer copy. The
// Clockwork RNN and the DeltaNet rewrite states of fixed size.
// Package card has the contract.
//
// # The model of Kazemnejad et al. 2023
//
// With the settings faithful, d_model 768, 12 layers, 12 heads, d_ff 3072 and
// T5's vocabulary of 32,100 pieces the decoder is as in arXiv 2305.19466, as
// its code has it: a T5 block with unscaled attention, RMSNorm before each
// sub-layer, ReLU, no biases, and an embedding that is the output matrix too,
// scaled by d_model^−½ there. Its trainable parameters:
//
//	embedding 32,100 × 768         24,652,800
//	attention 12 × 4 × 768²        28,311,552
//	feed-forward 12 × 2 × 768·3072 56,623,104
//	gains of 25 norms × 768            19,200
//	together                      109,606,656
//
// An encoding adds its own: t5 a table of 32 × 12 (109,607,040), alibi-learned 12
// slopes (109,606,668), learned 2048 × 768 (111,179,520), txl 12 layers of 768² +
// 2·768 (116,702,976), the others nothing. The paper speaks of 107 million. No
// way of counting its model gives that: its code reports 109,607,040 for every
// encoding, because it allocates T5's table whether it is used or not. Here no
// parameter exists that nothing reads.
//
// Dropout of 0.1 belongs to that model and is a setting of training (package
// train); see Mode for its places.
//
// # GPT-2
//
// With the settings gpt2 the block is GPT-2's (Radford et al. 2019) as Hugging Face's
// library transformers has it, which Huang et al. 2025 (arXiv 2410.02140) trained: LayerNorm
// with gain and bias before each sub-layer and at the end, a bias in every projection, GELU
// in its tanh form, attention scaled by d_head^−½, a tied output matrix without a bias.
// Weights start as N(0, 0.02²), with o_proj and down_proj divided by √(2·n_layers),
// biases as 0. With d_model 768, 12 layers, 12 heads, d_ff 3072, the encoding learned of
// 1024 positions and 50,257 tokens it has the 124,439,808 parameters of GPT-2 small. Dropout,
// where it is set, has the places above, which are two more than GPT-2's: the activation of
// the feed-forward layer and the last norm.
package models
