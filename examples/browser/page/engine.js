// Engine is an engine in a worker of its own.
export class Engine {
  #worker;
  #open = new Map(); // requests that have no answer, by id
  #last = 0;

  constructor(name) {
    this.#worker = new Worker(`worker.js?engine=${name}`, { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => {
      const request = this.#open.get(data.id);
      if ("token" in data) return request.onToken?.(data);
      this.#open.delete(data.id);
      "error" in data ? request.reject(new Error(data.error)) : request.resolve(data.result);
    });
    this.#worker.addEventListener("error", (event) => {
      for (const request of this.#open.values()) request.reject(new Error(event.message || "the worker does not start"));
      this.#open.clear();
    });
  }

  // request asks the worker for something: see requests in worker.js.
  request(type, data = {}, onToken) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#open.set(id, { resolve, reject, onToken });
      this.#worker.postMessage({ id, type, ...data });
    });
  }

  // stop ends an answer after the token that is being made.
  stop() {
    this.#worker.postMessage({ type: "stop" });
  }
}
