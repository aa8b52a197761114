import { Engine } from "./engine.js";
import { HeatMap, paint, readColours } from "./heatmap.js";

const $ = (id) => document.getElementById(id);
const longest = 1024; // tokens of prompt and answer: a head's map has as many cells as their square
const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);

// What the page has found, for the console and for tests.
const state = (window.zoo = { site: null, engines: {}, model: null, prompt: [], answers: {}, layers: null, speeds: null,
  measured: { tokens: 128, rounds: 5 } });
const map = new HeatMap($("map"), showCell);
let head = { layer: 0, head: 0 }, stopped = false, opening = 0;

start().catch(fail);

async function start() {
  readColours();
  const response = await fetch("site.json");
  if (!response.ok) throw new Error(`site.json: ${response.status} ${response.statusText}`);
  const site = (state.site = await response.json());
  $("model").replaceChildren(...site.models.map((m, i) => new Option(`${m.name} (${mib(m.bytes)} MiB)`, i)));
  listen();
  const programs = { go: site.engine, ort: site.ort };
  for (const name of ["go", "ort"]) {
    if (!programs[name]) continue;
    const engine = { name, program: programs[name], worker: new Engine(name) };
    try {
      engine.start = (await engine.worker.request("start", { program: engine.program })).ms;
      state.engines[name] = engine;
    } catch (error) {
      if (name === "go") throw error;
      without(error.message);
    }
  }
  if (!site.ort) without("It was not installed where the page was built.");
  await openModel(0);
}

// without says that onnxruntime-web is not there.
function without(why) {
  element("ort", ".tokens").textContent = "onnxruntime-web is not in this page.";
  element("ort", ".opened").textContent = why;
}

function listen() {
  $("model").addEventListener("change", () => openModel($("model").value).catch(fail));
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    answer();
  });
  $("stop").addEventListener("click", () => {
    stopped = true;
    for (const e of Object.values(state.engines)) e.worker.stop();
  });
  $("prompt").addEventListener("input", () => ($("error").hidden = true));
  $("prompt").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (!$("run").disabled) $("form").requestSubmit();
  });
  $("measure").addEventListener("click", measure);
  addEventListener("resize", () => state.layers && map.draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    if (state.layers) showHeads();
  });
}

async function openModel(index) {
  const m = state.site.models[index], mine = ++opening;
  busy(`Opening ${m.name}…`);
  clear();
  const response = await fetch(m.path);
  if (!response.ok) throw new Error(`${m.path}: ${response.status} ${response.statusText}`);
  const file = await response.arrayBuffer();
  for (const e of Object.values(state.engines)) {
    const opened = await e.worker.request("open", { file });
    if (mine !== opening) return; // another was chosen meanwhile
    e.open = opened.ms;
    if (e.name === "go") Object.assign(state, { vocabulary: opened.vocabulary, end: opened.end, go: opened.version });
    element(e.name, ".opened").textContent =
      `${mib(e.program.bytes)} MiB, started in ${Math.round(e.start)} ms; opened the model in ${Math.round(e.open)} ms`;
  }
  state.model = m;
  $("about").textContent = `${m.description}; trained at ${m.trained[0]} to ${m.trained[1]}. Encoding: ${m.encoding}.`;
  $("examples").replaceChildren(...m.examples.map((x) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Length ${x.length}${x.length > m.trained[1] ? ", not trained" : ""}`;
    button.addEventListener("click", () => {
      $("prompt").value = x.prompt;
      $("error").hidden = true;
    });
    return button;
  }));
  $("prompt").value = m.examples[0]?.prompt ?? "";
  ready("Ready.");
}

function busy(text) {
  $("status").textContent = text;
  $("run").disabled = $("measure").disabled = true;
}

function ready(text) {
  $("status").textContent = text;
  $("run").disabled = $("measure").disabled = false;
  $("model").disabled = false;
  $("stop").disabled = true;
}

function fail(error) {
  busy("");
  complain(error.message);
}

function complain(text) {
  $("error").textContent = text;
  $("error").hidden = false;
}

const element = (engine, selector) => document.querySelector(`#${engine} ${selector}`);

function clear() {
  $("error").hidden = true;
  $("attention-section").hidden = true;
  $("agreement").textContent = $("weights-agree").textContent = "";
  $("speeds").hidden = true;
  Object.assign(state, { answers: {}, layers: null, speeds: null });
  for (const name of Object.keys(state.engines)) {
    element(name, ".tokens").replaceChildren();
    element(name, ".figures").textContent = "";
  }
}

// encode returns the prompt's tokens; what is wrong with it is an error for whoever typed it.
async function encode(most) {
  const text = $("prompt").value;
  if (text.trim() === "") throw new Error("The prompt is empty. Type one, or choose one of the buttons above.");
  const { ids } = await state.engines.go.worker.request("encode", { text });
  if (ids.length + most > longest) {
    throw new Error(`The prompt has ${ids.length} tokens; with ${most} new ones that is more than the ${longest} that this page shows.`);
  }
  return ids;
}

async function answer() {
  busy("Running…");
  clear();
  $("model").disabled = true;
  $("stop").disabled = stopped = false;
  try {
    const most = $("most").valueAsNumber;
    const ids = (state.prompt = await encode(most));
    for (const e of Object.values(state.engines)) {
      if (stopped) break;
      $("status").textContent = `${e.name === "go" ? "zoo" : "onnxruntime-web"} is running…`;
      await generate(e, ids, most);
    }
    agree();
    $("status").textContent = "Reading attention…";
    await attention();
    ready(stopped ? "Stopped." : "Done.");
  } catch (error) {
    complain(error.message);
    ready("");
  }
}

// generate streams the answer of one engine into its place.
async function generate(e, ids, most) {
  const place = element(e.name, ".tokens");
  place.replaceChildren(...ids.map((id, i) => chip(id, i, "of-prompt")));
  const result = await e.worker.request("generate", { ids, most, end: state.end }, ({ token, ms }) => {
    place.append(chip(token, place.childElementCount, ""));
    const made = place.childElementCount - ids.length;
    element(e.name, ".figures").textContent = `${made} tokens, ${Math.round(ms)} ms`;
  });
  state.answers[e.name] = result;
  const { first, rate } = figures(result);
  element(e.name, ".figures").textContent = `${result.tokens.length} tokens${result.stopped ? ", stopped" : ""}; prompt ${first.toFixed(1)} ms` +
    (rate ? `, then ${Math.round(rate)} tokens/s` : "");
}

// figures are the ms to the first token, and the tokens per second behind it.
function figures({ times }) {
  const first = times[0] ?? 0, rest = times.at(-1) - first;
  return { first, rate: times.length > 1 && rest > 0 ? (1000 * (times.length - 1)) / rest : 0 };
}

const piece = (id) => state.vocabulary[id];

function chip(id, index, kind) {
  const c = document.createElement("span");
  c.className = `chip ${kind}`;
  c.textContent = piece(id).trim() || "␣";
  c.dataset.index = index;
  c.addEventListener("click", () => state.layers && index < state.text.length && map.point(index, index));
  return c;
}

function agree() {
  const { go, ort } = state.answers;
  if (!go || !ort) return;
  const n = Math.min(go.tokens.length, ort.tokens.length);
  let same = 0;
  while (same < n && go.tokens[same] === ort.tokens[same]) same++;
  state.agree = same === n && (go.tokens.length === ort.tokens.length || go.stopped || ort.stopped);
  $("agreement").textContent = state.agree ? `Both engines chose the same ${n} tokens.`
    : `The engines differ from token ${same + 1} of the answer on.`;
}

// attention reads the weights of prompt and answer, from both engines.
async function attention() {
  const made = state.answers.go?.tokens ?? [];
  state.text = [...state.prompt, ...made];
  state.labels = state.text.map((id) => piece(id).trim() || "␣");
  const { layers } = await state.engines.go.worker.request("attention", { ids: state.text });
  state.layers = layers;
  if (state.answers.ort) {
    const other = await state.engines.ort.worker.request("attention", { ids: state.text });
    state.difference = 0;
    layers.forEach((l, i) => l.weights.forEach((w, k) =>
      (state.difference = Math.max(state.difference, Math.abs(w - other.layers[i].weights[k])))));
    $("weights-agree").textContent = `onnxruntime-web’s weights differ from these by at most ${state.difference.toExponential(0)}.`;
  }
  $("attention-section").hidden = false;
  showHeads();
}

const weightsOf = ({ layer, head: h }) => {
  const n = state.text.length;
  return state.layers[layer].weights.subarray(h * n * n, (h + 1) * n * n);
};

function showHeads() {
  if (head.layer >= state.layers.length || head.head >= state.layers[head.layer].heads) head = { layer: 0, head: 0 };
  const buttons = [];
  state.layers.forEach((l, layer) => {
    for (let h = 0; h < l.heads; h++) {
      const button = document.createElement("button"), canvas = document.createElement("canvas");
      button.type = "button";
      button.append(canvas, `Layer ${layer + 1}\nhead ${h + 1}`);
      button.addEventListener("click", () => choose({ layer, head: h }));
      paint(canvas, state.text.length, weightsOf({ layer, head: h }));
      buttons.push(button);
    }
  });
  $("heads").style.setProperty("--heads", state.layers[0].heads);
  $("heads").replaceChildren(...buttons);
  choose(head);
}

function choose(chosen) {
  head = chosen;
  const before = state.layers.slice(0, head.layer).reduce((sum, l) => sum + l.heads, 0);
  [...$("heads").children].forEach((b, i) => b.setAttribute("aria-pressed", i === before + head.head));
  $("head-title").textContent = `Layer ${head.layer + 1}, head ${head.head + 1}`;
  $("map").setAttribute("aria-label", `Attention weights of layer ${head.layer + 1}, head ${head.head + 1}, over ${state.text.length} tokens`);
  map.show(state.labels, weightsOf(head));
}

const placeOf = (i) => (i < state.prompt.length ? `token ${i + 1} of the prompt` : `token ${i + 1 - state.prompt.length} of the answer`);

// showCell says what a cell is, and shades the tokens by the weights of its row.
function showCell(cell) {
  $("cell").textContent = cell
    ? `“${piece(state.text[cell.row]).trim()}”, ${placeOf(cell.row)}, takes ${cell.weight.toFixed(3)} from “${piece(state.text[cell.column]).trim()}”, ${placeOf(cell.column)}.`
    : "\u00a0";
  const n = state.text.length, weights = cell && weightsOf(head);
  for (const c of document.querySelectorAll("#go .chip")) {
    const i = +c.dataset.index;
    c.style.setProperty("--weight", cell && i <= cell.row ? `${Math.round(100 * weights[cell.row * n + i])}%` : "0%");
    c.classList.toggle("chosen", cell?.row === i);
  }
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

// measure compares the engines; they take turns.
async function measure() {
  const { tokens: fresh, rounds } = state.measured;
  busy("");
  $("model").disabled = true;
  $("stop").disabled = stopped = false;
  $("error").hidden = true;
  try {
    const ids = await encode(fresh);
    const found = Object.fromEntries(Object.keys(state.engines).map((name) => [name, []]));
    for (let round = 0; round < rounds && !stopped; round++) {
      for (const e of Object.values(state.engines)) {
        $("measure-status").textContent = `Round ${round + 1} of ${rounds}…`;
        const result = await e.worker.request("generate", { ids, most: fresh, end: -1 });
        if (!result.stopped) found[e.name].push(figures(result));
      }
    }
    $("measure-status").textContent = stopped ? "Stopped." : "";
    if (!stopped) showSpeeds(found);
  } catch (error) {
    complain(error.message);
  }
  ready("");
}

function showSpeeds(found) {
  state.speeds = Object.fromEntries(Object.entries(found).map(([name, list]) =>
    [name, { rate: median(list.map((f) => f.rate)), first: median(list.map((f) => f.first)),
      start: state.engines[name].start, open: state.engines[name].open, bytes: state.engines[name].program.bytes }]));
  const rows = Object.entries(state.speeds).map(([name, s]) => {
    const row = document.createElement("tr"), title = document.createElement("th");
    title.scope = "row";
    title.textContent = name === "go" ? `zoo, ${state.go}` : `onnxruntime-web ${state.site.ort.version}`;
    row.append(title, ...[Math.round(s.rate), s.first.toFixed(1), Math.round(s.start), Math.round(s.open), mib(s.bytes)].map((text) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      return cell;
    }));
    return row;
  });
  $("speeds").tBodies[0].replaceChildren(...rows);
  $("speeds").hidden = false;
}
