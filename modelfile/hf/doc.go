// Package hf writes models as folders in the form that Hugging Face tools
// use, and reads such folders back:
//
//	config.json            the configuration, under Hugging Face's names (see below)
//	model.safetensors      the weights in float32, under the names of models/NAMES.md
//	tokenizer.json         the tokenizer, in the format of the library tokenizers
//	tokenizer_config.json  which pieces pad a sequence and end it
//
// The last two are there only for a model that has a tokenizer. Read also takes
// weights in several files (model.safetensors.index.json and what it names) and
// in 16 bits (F16, BF16).
//
// # config.json
//
//	model_type                 zoo_decoder, or zoo_ and another architecture's name;
//	                           where it is missing, architectures says it
//	vocab_size                 vocab_size
//	hidden_size                d_model
//	num_hidden_layers          n_layers
//	num_attention_heads        n_heads
//	head_dim                   d_head
//	num_key_value_heads        n_kv_heads
//	intermediate_size          d_ff
//	hidden_act                 activation: relu, relu2, silu, gelu_pytorch_tanh (here: gelu), gelu (here: gelu_exact)
//	mlp                        mlp
//	norm                       norm
//	norm_place                 norm_place
//	residual                   residual
//	embed_norm                 embed_norm
//	linear_bias                bias
//	head                       head
//	embedding_multiplier       embed_scale
//	residual_multiplier        residual_scale
//	attention_cap              attention_cap
//	logit_cap                  logit_cap
//	clip_qkv                   clip_qkv
//	rms_norm_eps               norm_eps, of either norm
//	head_norm_eps              head_norm_eps (differential attention, DeltaNet)
//	position_embedding_type    encoding, by layer as in rope*3/nope
//	position_embedding_params  encoding_params, an object
//	attention_window           window, by layer as in 8*3/0
//	attention_scale            attention_scale
//	attention                  attention
//	qk_norm                    qk_norm
//	attention_sink             attention_sink
//	attention_gate             attention_gate
//	logit_scale                logit_scale
//	logit_layers               logit_layers
//	logit_slope                logit_slope
//	logit_factors              logit_factors, a list of numbers
//	ablated_heads              ablation
//	trained_length             trained_length
//	head_scale                 head_scale
//	initialization             init
//	settings                   settings
//	num_units                  n_units (Clockwork RNN, LSTM)
//	num_modules                n_modules (Clockwork RNN)
//	module_periods             periods (Clockwork RNN)
//	delta_mixer                mixer (DeltaNet)
//	delta_beta_max             beta_max (DeltaNet)
//	delta_decay                decay (DeltaNet)
//	delta_conv                 conv (DeltaNet)
//	delta_gate                 gate (DeltaNet)
//	delta_conv_std             conv_std (DeltaNet)
//	zoo_provenance             task, trained lengths, positions, seed, steps, loss, hashes, version,
//	                           what was changed after training
//
// What follows from these is written for other readers, and a file that says
// otherwise is refused: architectures, tie_word_embeddings, attention_bias,
// mlp_bias, max_position_embeddings, eos_token_id and pad_token_id. (There is no
// token that begins a sequence: bos_token_id is null.) A key that is neither
// listed here nor known to be without effect is an error, because a model that
// depends on it would compute something else.
//
// No class of the library transformers computes these models: its tools read the
// files, safetensors and tokenizers load them whole, and a Python program that
// wants the logits brings its own forward pass.
package hf
