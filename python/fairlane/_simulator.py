"""The simulator: a WebAssembly module that answers requests in JSON."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from wasmtime import Config, Engine, Func, FuncType, Instance, Module, Store, WasmtimeError


class FairlaneError(ValueError):
    """What is wrong with a scenario, or a name that is not a policy's or of the catalog.

    ``path`` is the JSON path such as ``jobs[3].stages[0].profile``; empty for the scenario as a whole.
    """

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


@cache
def _module() -> tuple[Engine, Module]:
    config = Config()
    try:
        # Compiled once for this machine, not at every import.
        config.cache = True
        engine = Engine(config)
    except WasmtimeError:
        # Without a folder to keep it in.
        engine = Engine(Config())
    return engine, Module(engine, files("fairlane").joinpath("simulator.wasm").read_bytes())


@contextmanager
def _interrupts() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt once the user has interrupted, and only then.

    Python's own handler raises wherever the program is: in code of ``wasmtime`` that loses the exception, too.
    """
    interrupted = threading.Event()

    def check() -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield check
        return
    signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()


def call(request: dict[str, Any]) -> Any:
    """Answers a request, in an instance of its own: one that was interrupted is of no more use."""
    engine, module = _module()
    store = Store(engine)
    text = json.dumps(request, allow_nan=False).encode()
    with _interrupts() as check:
        exports = Instance(store, module, [Func(store, FuncType([], []), check)]).exports(store)
        start = exports["allocate"](store, len(text))
        memory = exports["memory"]
        memory.write(store, text, start)
        packed = exports["call"](store, start, len(text)) & (1 << 64) - 1
    start, length = packed >> 32, packed & (1 << 32) - 1
    answer = json.loads(bytes(memory.read(store, start, start + length)))
    if "error" in answer:
        raise FairlaneError(answer["error"]["message"], answer["error"]["path"])
    return answer["value"]
