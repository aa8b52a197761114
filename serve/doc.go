// Package serve answers completions over HTTP, as OpenAI's API does, with models that package
// runtime has opened:
//
//	s, err := runtime.Open("notes.onnx", runtime.Options{})
//	…
//	h, err := serve.New([]serve.Model{{Name: "notes", Session: s}}, serve.Options{Key: key})
//	…
//	err = h.Serve(ctx, listener) // until ctx ends; or mount h in a server of your own: see examples/service
//
// The handler serves
//
//	POST /v1/completions       prompts continued, whole or as a stream of server-sent events
//	POST /v1/chat/completions  conversations, of models that came with a chat template
//	POST /tokenize             the token ids of a text, as vLLM has it
//	POST /detokenize           the text of token ids
//	GET  /v1/models            the models
//	GET  /v1/models/{id}       one of them
//	GET  /healthz              200, and 503 from Shutdown on; it needs no key
//	GET  /metrics              numbers in Prometheus' text format
//
// # What differs from OpenAI's API
//
// A field that is unknown or not supported is an error that names it: best_of other than n, and
// suffix. top_k, min_p, repetition_penalty, and vLLM's ignore_eos and add_special_tokens, are fields in addition
// to OpenAI's; a service of one model needs no model field. Conversations have chat_template_kwargs too, as vLLM
// has them; they take text alone, and no tools. Their add_special_tokens is false, since templates write special
// tokens. A chat template is a stranger's: package tokenizer/chat bounds it, and where it fails, or the model came
// without one, the request is refused. Ranges are runtime.Sampling's, but temperature is 0 to 2, and
// repetition_penalty more than 0. user is taken and not used.
//
// A choice's random numbers follow from seed and its place among the n choices of its prompt,
// so a prompt has the same answers alone and in a list. A Batcher reads it once for all of them.
// system_fingerprint is made of the hash of the model's weights.
//
// echo with logprobs scores the prompt too, as Session.ScoreText does, one prompt at a time for each model; its first
// token has null, and max_tokens may be 0. So lm-evaluation-harness scores answers (its model local-completions).
//
// logprobs tells the token that ended an answer too, and those of a stop string, which the text
// has not; text_offset counts characters of the choice's text. Tokens within a character have its
// place, and those that the text has not its end. In a stream they come when their text is certain.
// Of tokens that are no whole characters the bytes are told, as in bytes:\xe2\x82. What the model
// rules out has −9999.
//
// # What is bounded
//
// Limits bound what one request may ask for and what the bodies of all take,
// runtime.BatcherOptions how much is answered at a time, and waits. More is refused with status
// 429. A prompt is cut into tokens once, within Limits.Time, as many at a time as there are processors;
// one that is too long however it is cut is refused before, and Limits.Body bounds the others. A client
// that leaves ends its answers. One that is slow loses its connection: it has 30
// seconds for the body of its request, and for taking each part of the answer. How many
// connections there are is for the server to bound, or what is before it.
//
// What a model file computes is its author's. runtime.Open refuses a file whose stated shapes need memory without
// measure (package export/safety), and BatcherOptions.MaxBytes bounds the states of rows; the values within a run
// that grow with the tokens, or whose shapes a run computes, nothing bounds but the process: a file from elsewhere
// is served under a limit of the system's (a container's memory, ulimit -v).
//
// # Web pages
//
// What a page of another site has a browser ask is refused with status 403, with a key too, unless Options.Origins
// has the site. Without a key, what comes to a loopback address under another name than localhost is
// refused as well, for a page can have its own name stand for this machine. A proxy on this
// machine sends its own Host header, or the service has a key.
//
// The package logs requests to the logger that it is given: never what prompts or answers say.
package serve
