// onnxruntime-web with the same file. What a file reads and gives is said by zoo's package card.
let ort, session, states, filled, capacity, pending;

export async function load(program) {
  ort = await import("./" + program.module);
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: new URL(program.binary, self.location).href };
  // The program is compiled with the first session: one of a model without nodes.
  await (await ort.InferenceSession.create(empty())).release();
}

export async function open(file) {
  await session?.release();
  session = await ort.InferenceSession.create(file, { executionProviders: ["wasm"] });
  return {};
}

// begin makes the states that are in place what they are before the first token.
export function begin(ids, most) {
  filled = 0;
  capacity = ids.length + most - 1; // the last token is not read
  pending = ids;
  states = initial(capacity);
}

function initial(slots) {
  const made = {};
  for (const port of session.inputMetadata) {
    if (!port.name.startsWith("past")) continue;
    const shape = port.shape.map((axis) => ({ batch: 1, capacity: slots })[axis] ?? axis);
    made[port.name] = new ort.Tensor("float32", new Float32Array(shape.reduce((a, b) => a * b)), shape);
  }
  return made;
}

const integers = (list, shape) => new ort.Tensor("int64", BigInt64Array.from(list, BigInt), shape);

// run reads tokens behind those that are filled.
async function run(ids, slots, outputs) {
  const places = ids.map((_, i) => filled + i);
  const all = {
    input_ids: integers(ids, [1, ids.length]),
    position_ids: integers(places, [1, ids.length]),
    cache_position: integers(places, [ids.length]),
    attention_mask: integers(Array(slots).fill(1), [1, slots]),
    logits_to_keep: integers([1], [1]),
    ...states,
  };
  const feed = Object.fromEntries(session.inputNames.map((name) => [name, all[name]]));
  return session.run(feed, outputs);
}

export async function next() {
  const past = Object.keys(states), present = past.map((name) => name.replace(/^past(_key_values)?/, "present"));
  const out = await run(pending, capacity, ["logits", ...present]);
  past.forEach((name, i) => (states[name] = out[present[i]]));
  filled += pending.length;
  const logits = out.logits.data;
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  pending = [best];
  return best;
}

export async function attention(ids) {
  filled = 0;
  states = initial(ids.length);
  const names = session.outputNames.filter((name) => name.startsWith("attentions."));
  const out = await run(ids, ids.length, names);
  return { layers: names.map((name) => ({ heads: out[name].dims[1], weights: out[name].data })) };
}

// empty is an ONNX file whose output is its input, by the numbers of the fields of onnx.proto.
function empty() {
  const field = (number, bytes) => [number * 8 + 2, bytes.length, ...bytes];
  const text = (number, s) => field(number, [...s].map((c) => c.charCodeAt(0)));
  const type = field(2, field(1, [8, 1, ...field(2, field(1, [8, 1]))])); // float32 [1]
  const node = field(1, [...text(1, "x"), ...text(2, "y"), ...text(4, "Identity")]);
  const graph = [...node, ...text(2, "g"), ...field(11, [...text(1, "x"), ...type]), ...field(12, [...text(1, "y"), ...type])];
  return new Uint8Array([8, 8, ...field(7, graph), ...field(8, [16, 18])]); // IR version 8, opset 18
}
