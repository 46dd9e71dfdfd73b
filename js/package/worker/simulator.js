import { compareCall, simulateCall } from "../core.js";
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
    return this.#request(() => simulateCall(scenario, policy, options), options);
  }

  compare(scenario, policies, options) {
    return this.#request(() => compareCall(scenario, policies, options), options);
  }

  close() {
    const reason = new DOMException("The simulator was closed.", "AbortError");
    const requests = this.#running ? [this.#running, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    this.#end();
    for (const request of requests) request.settle(request.reject, reason);
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }

  #request(make, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      // Throws what is wrong with the values, which rejects the promise.
      const { call, explained } = make();
      const cancel = () => this.#cancel(request, signal.reason);
      const settle = (how, value) => {
        signal?.removeEventListener("abort", cancel);
        how(value);
      };
      const request = { call, explained, resolve, reject, settle };
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
      const { message, path, line, column } = error;
      request.settle(request.reject, request.explained(new FairlaneError(message, path, line, column)));
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
