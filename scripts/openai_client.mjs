// node openai_client.mjs: has OpenAI's JavaScript client converse with a chat model that zoo serves, whole and as a stream. Needs
// packages that zoo itself does not; ESM finds them beside this file or above it:
//
//     npm install openai@6.49.0
//     zoo serve chat=SmolLM2-135M-Instruct.Q4_1.gguf --addr 127.0.0.1:8099 &
//     node scripts/openai_client.mjs http://127.0.0.1:8099/v1
//
// Ends with "all right", or with an error. The model must know the capital of France. Not part of any test.
import assert from "node:assert/strict";
import OpenAI from "openai";

const client = new OpenAI({baseURL: process.argv[2] ?? "http://127.0.0.1:8080/v1", apiKey: "none", maxRetries: 0});
const model = (await client.models.list()).data[0].id;
const messages = [{role: "user", content: "What is the capital of France?"}];
const request = {model, messages, temperature: 0, max_tokens: 20};

const answer = await client.chat.completions.create({...request, logprobs: true, top_logprobs: 2});
const [choice] = answer.choices;
assert.match(choice.message.content, /Paris/);
assert.equal(choice.message.role, "assistant");
assert.equal(choice.logprobs.content[0].top_logprobs.length, 2);
assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
console.log("chat: right:", JSON.stringify(choice.message.content));

let text = "", end, usage, parts = 0;
for await (const part of await client.chat.completions.create({...request, stream: true, stream_options: {include_usage: true}})) {
  text += part.choices[0]?.delta.content ?? "";
  end ??= part.choices[0]?.finish_reason ?? undefined;
  usage ??= part.usage ?? undefined;
  parts++;
}
assert.deepEqual([text, end, usage], [choice.message.content, choice.finish_reason, answer.usage]);
assert.ok(parts > 3, `a stream of ${parts} parts`);
console.log("stream: right");

const heard = [];
const stream = client.chat.completions.stream(request).on("content", delta => heard.push(delta));
assert.equal((await stream.finalChatCompletion()).choices[0].message.content, choice.message.content);
assert.equal(heard.join(""), choice.message.content);
console.log("stream helper: right");

const next = [...messages, choice.message, {role: "user", content: "And of Italy?"}];
assert.ok((await client.chat.completions.create({...request, messages: next})).choices[0].message.content);
await assert.rejects(client.chat.completions.create({...request, temperature: -1}),
  e => e instanceof OpenAI.BadRequestError && e.param === "temperature");
const left = await client.chat.completions.create({...request, max_tokens: 500, stream: true});
for await (const _ of left) break; // which closes the connection
const completion = await client.completions.create({model, prompt: "The capital of France is", max_tokens: 5, temperature: 0});
assert.match(completion.choices[0].text, /Paris/);
console.log("turns, refusals, completions: right\nall right");
