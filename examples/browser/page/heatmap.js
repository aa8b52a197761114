// HeatMap draws the weights of one head on a canvas: a row for each token, with what it takes
// from each token up to itself.
const least = 4, most = 22; // pixels of a cell
const labelled = 11; // from so many pixels on there is room for a label at each cell

export class HeatMap {
  #canvas;
  #onCell;
  #tokens = [];
  #weights = [];
  #image = null; // a pixel for each weight
  #cell = null; // {row, column} pointed at

  // onCell gets {row, column, weight}, or null.
  constructor(canvas, onCell) {
    this.#canvas = canvas;
    this.#onCell = onCell;
    canvas.addEventListener("pointermove", (event) => this.#point(this.#at(event)));
    canvas.addEventListener("pointerdown", (event) => this.#point(this.#at(event)));
    canvas.addEventListener("keydown", (event) => this.#move(event));
  }

  // show draws weights [T·T] of T tokens. What is pointed at stays while these are the same.
  show(tokens, weights) {
    if (tokens !== this.#tokens) this.#cell = null;
    this.#tokens = tokens;
    this.#weights = weights;
    this.#image = document.createElement("canvas");
    paint(this.#image, tokens.length, weights);
    this.#point(this.#cell);
  }

  // point points at a cell from elsewhere.
  point(row, column) {
    this.#point({ row, column });
  }

  draw() {
    const n = this.#tokens.length;
    const c = this.#canvas.getContext("2d");
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    c.font = font;
    const left = Math.ceil(Math.max(...this.#tokens.map((t) => c.measureText(t).width), 0)) + 8;
    const room = this.#canvas.parentElement.clientWidth - left - 1;
    const size = Math.max(least, Math.min(most, Math.floor(room / Math.max(n, 1))));
    this.layout = { left, size, top: left };
    const width = left + n * size + 1, height = left + n * size + 1, ratio = devicePixelRatio;
    this.#canvas.width = width * ratio;
    this.#canvas.height = height * ratio;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${height}px`;
    c.scale(ratio, ratio);

    c.imageSmoothingEnabled = false;
    c.drawImage(this.#image, left, left, n * size, n * size);
    if (size > 8) { // lines between the cells
      c.fillStyle = style("--paper");
      for (let i = 1; i <= n; i++) {
        c.fillRect(left, left + i * size - 1, n * size, 1);
        c.fillRect(left + i * size - 1, left, 1, n * size);
      }
    }
    c.font = font;
    c.textBaseline = "middle";
    const every = Math.ceil(labelled / size);
    for (let i = 0; i < n; i += every) {
      const middle = left + (i + 0.5) * size;
      const chosen = (at) => (this.#cell?.[at] === i ? ink() : soft());
      c.textAlign = "right";
      c.fillStyle = chosen("row");
      c.fillText(this.#tokens[i], left - 5, middle);
      c.save();
      c.translate(middle, left - 5);
      c.rotate(-Math.PI / 2);
      c.textAlign = "left";
      c.fillStyle = chosen("column");
      c.fillText(this.#tokens[i], 0, 0);
      c.restore();
    }
    if (this.#cell) {
      c.strokeStyle = ink();
      c.lineWidth = 1.5;
      c.strokeRect(left + this.#cell.column * size - 0.5, left + this.#cell.row * size - 0.5, size, size);
    }
  }

  #at(event) {
    const box = this.#canvas.getBoundingClientRect();
    const { left, size } = this.layout;
    const column = Math.floor((event.clientX - box.left - left) / size);
    const row = Math.floor((event.clientY - box.top - left) / size);
    return column < 0 || row >= this.#tokens.length || column > row ? null : { row, column };
  }

  #point(cell) {
    this.#cell = cell;
    this.draw();
    this.#onCell(cell && { ...cell, weight: this.#weights[cell.row * this.#tokens.length + cell.column] });
  }

  #move(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const last = this.#tokens.length - 1;
    const from = this.#cell ?? { row: last, column: last + 1 };
    const row = Math.min(Math.max(from.row + step[0], 0), last);
    this.#point({ row, column: Math.min(Math.max(from.column + step[1], 0), row) });
  }
}

// paint draws weights [n·n] on a canvas, a pixel each; what comes later than its row stays empty.
export function paint(canvas, n, weights) {
  canvas.width = canvas.height = n;
  const c = canvas.getContext("2d"), image = c.createImageData(n, n);
  for (let row = 0; row < n; row++) {
    for (let column = 0; column <= row; column++) {
      const at = row * n + column;
      image.data.set(colour(weights[at]), 4 * at);
    }
  }
  c.putImageData(image, 0, 0);
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const ink = () => style("--ink");
const soft = () => style("--soft");

let colours; // from weight 0 to 1, each [red, green, blue, alpha]
export function readColours() {
  const stops = ["--heat-low", "--heat-mid", "--heat-high"].map((name) =>
    [1, 3, 5].map((at) => parseInt(style(name).slice(at, at + 2), 16)));
  colours = Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1), from = Math.min(Math.floor(at), stops.length - 2);
    return [...stops[from].map((v, k) => Math.round(v + (stops[from + 1][k] - v) * (at - from))), 255];
  });
}

const colour = (weight) => colours[Math.round(255 * Math.min(Math.max(weight, 0), 1))];
