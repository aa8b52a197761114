// node peers_llama.mjs FILE.gguf LENGTH NEW THREADS: times of llama.cpp, as a line of JSON. With --score IDS.json THREADS
// instead: how many bits its token ids take. From a folder in which node-llama-cpp is installed, where it must lie itself;
// scripts/peers_pretrained.py puts it there.
import fs from "fs";
import {getLlama, LlamaLogLevel} from "node-llama-cpp";

const [file, ...numbers] = process.argv.slice(2);
if (numbers[0] == "--score") await score(numbers[1], Number(numbers[2]));
const [length, fresh, threads] = numbers.map(Number);
const llama = await getLlama({gpu: false, maxThreads: threads, logLevel: LlamaLogLevel.error, build: "never", progressLogs: false});
const model = await llama.loadModel({modelPath: file});
const ids = Array.from({length}, (_, i) => 1000 + (i * 7919) % 40000);
const median = times => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
let prompt = Infinity, step = Infinity;
for (let round = 0; round < 3; round++) { // the first warms up
  const context = await model.createContext({contextSize: length + fresh + 8, batchSize: length, threads: {ideal: threads, min: threads}});
  const times = [];
  let start = performance.now();
  for await (const _ of context.getSequence().evaluate(ids, {temperature: 0, yieldEogToken: true})) {
    const now = performance.now();
    times.push(now - start);
    start = now;
    if (times.length == fresh) break;
  }
  if (times.length != fresh) throw new Error(`${times.length} tokens, not ${fresh}`);
  await context.dispose();
  if (round == 0) continue;
  prompt = Math.min(prompt, times[0]);
  step = Math.min(step, median(times.slice(1)));
}
console.log(JSON.stringify({prompt_ms: prompt, step_ms: step}));
process.exit(0);

async function score(path, threads) {
  const {ids} = JSON.parse(fs.readFileSync(path));
  const llama = await getLlama({gpu: false, maxThreads: threads, logLevel: LlamaLogLevel.error, build: "never", progressLogs: false});
  const model = await llama.loadModel({modelPath: file});
  const context = await model.createContext({contextSize: ids.length + 8, batchSize: ids.length, threads: {ideal: threads, min: threads}});
  const last = ids.length - 1; // which predicts nothing that is known
  const given = ids.map((id, i) => i < last ? [id, {generateNext: {probabilities: true}}] : id);
  const steps = await context.getSequence().controlledEvaluate(given);
  let bits = 0;
  for (let i = 0; i < last; i++) bits -= Math.log2(steps[i].next.probabilities.get(ids[i + 1]));
  console.log(JSON.stringify({bits}));
  process.exit(0);
}
