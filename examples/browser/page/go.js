// zoo's engine: ../engine has the functions that it gives to this worker.
import "./wasm_exec.js";

function call(name, ...args) {
  const result = self.zoo[name](...args);
  if (!result) throw new Error("the engine has ended; reload the page");
  if (result.error) throw new Error(result.error);
  return result;
}

export async function load(program) {
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(program.path), go.importObject);
  go.run(instance); // until the worker ends
}

export function open(file) {
  return call("open", file);
}

export function encode(text) {
  return call("encode", text).ids;
}

export function begin(ids, most) {
  call("begin", ids, most);
}

export function next() {
  return call("next").id;
}

// attention returns the weights of each layer, Float32Array [heads, T, T].
export function attention(ids) {
  return call("attention", ids);
}
