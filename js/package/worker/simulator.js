import { FairlaneError } from "../error.js";

/**
 * Requests to a worker, one after the other. A simulation cannot be interrupted: cancelling it ends the worker, and the
 * next request starts another one.
 */
export class Simulator {
  #start;
  #thread;
  #running;
  #waiting = [];

  /** `start(answered, failed)` starts a worker and returns how to `send` to it and to `end` it. */
  constructor(start) {
    this.#start = start;
  }

  simulate(scenario, policy, options) {
    return this.#request(["simulate", scenario, policy], options);
  }

  compare(scenario, policies, options) {
    return this.#request(["compare", scenario, policies], options);
  }

  close() {
    const reason = new DOMException("The simulator was closed.", "AbortError");
    const requests = this.#running ? [this.#running, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    this.#end();
    for (const request of requests) request.settle(request.reject, reason);
  }

  #request(call, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = () => this.#cancel(request, signal.reason);
      const settle = (how, value) => {
        signal?.removeEventListener("abort", cancel);
        how(value);
      };
      const request = { call, resolve, reject, settle };
      signal?.addEventListener("abort", cancel);
      this.#waiting.push(request);
      this.#next();
    });
  }

  #cancel(request, reason) {
    if (request === this.#running) this.#end();
    else this.#waiting = this.#waiting.filter((waiting) => waiting !== request);
    request.settle(request.reject, reason);
    this.#next();
  }

  #next() {
    if (this.#running || this.#waiting.length === 0) return;
    const request = this.#waiting.shift();
    this.#running = request;
    try {
      this.#thread ??= this.#start(
        (answer) => this.#answered(answer),
        (error) => this.#failed(error),
      );
      this.#thread.send(request.call);
    } catch (error) {
      this.#failed(error);
    }
  }

  #answered({ value, error }) {
    const request = this.#running;
    if (error) {
      if (error.path === undefined) return this.#failed(new Error(error.message));
      this.#running = undefined;
      request.settle(request.reject, new FairlaneError(error.message, error.path, error.line, error.column));
    } else {
      this.#running = undefined;
      request.settle(request.resolve, value);
    }
    this.#next();
  }

  /** The worker is of no more use. */
  #failed(error) {
    const request = this.#running;
    this.#end();
    request?.settle(request.reject, error);
    this.#next();
  }

  #end() {
    this.#thread?.end();
    this.#thread = undefined;
    this.#running = undefined;
  }
}
