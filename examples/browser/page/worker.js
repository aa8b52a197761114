// A worker runs one engine, so that the page can draw and stop while tokens are made. It
// answers messages {id, type, …} with {id, result} or {id, error}, and while it generates it
// tells each token in a message of its own.
const engine = import(new URL(self.location).searchParams.get("engine") === "go" ? "./go.js" : "./ort.js");
const channel = new MessageChannel();
const pauseEvery = 16; // ms
let stopped = false;

self.addEventListener("message", async ({ data }) => {
  if (data.type === "stop") {
    stopped = true;
    return;
  }
  try {
    self.postMessage({ id: data.id, result: await requests[data.type](data) });
  } catch (error) {
    self.postMessage({ id: data.id, error: error.message ?? String(error) });
  }
});

const requests = {
  async start({ program }) {
    const begun = performance.now();
    await (await engine).load(program);
    return { ms: performance.now() - begun };
  },
  async open({ file }) {
    const begun = performance.now();
    const about = await (await engine).open(new Uint8Array(file));
    return { ...about, ms: performance.now() - begun };
  },
  async encode({ text }) {
    return { ids: (await engine).encode(text) };
  },
  async attention({ ids }) {
    return (await engine).attention(ids);
  },
  // Times are in ms from the beginning on.
  async generate({ id, ids, most, end }) {
    const e = await engine;
    stopped = false;
    const begun = performance.now();
    const tokens = [], times = [];
    let rested = begun;
    await e.begin(ids, most);
    while (!stopped && tokens.length < most) {
      const token = await e.next();
      const now = performance.now();
      tokens.push(token);
      times.push(now - begun);
      self.postMessage({ id, token, ms: now - begun });
      if (token === end) break;
      if (now - rested > pauseEvery) {
        await pause();
        rested = performance.now();
      }
    }
    return { tokens, times, stopped };
  },
};

// pause lets messages arrive.
function pause() {
  return new Promise((done) => {
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
}
