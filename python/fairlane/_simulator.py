"""The simulator: a WebAssembly module that answers requests in JSON, with tasks as they lie in its memory."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np
from wasmtime import Config, Engine, Func, Instance, Module, Store, WasmtimeError

Scenario = Union[Mapping[str, Any], str, bytes, "os.PathLike[str]"]
"""A scenario: a ``dict`` as a scenario file has it, which may hold what NumPy and pandas calculate; the text or the path
of such a file; or ``"catalog:NAME"``."""

Policy = Union[str, Mapping[str, Any]]
"""A policy: its name, or a program of your own, ``{"program": "running / weight"}``, with a name such as
``"policy": "custom:mine-p"`` and a ``"seed"`` if you like."""

TASK = np.dtype([("job", "<u4"), ("stage", "<u4"), ("task", "<u4"), ("core", "<u4"), ("start", "<u8"), ("end", "<u8")])
"""A task in the simulator's memory; times in microseconds."""


class FairlaneError(ValueError):
    """What is wrong with a scenario, or a name that is not a policy's or of the catalog.

    ``path`` is the JSON path such as ``jobs[3].stages[0].profile``; empty for the scenario as a whole.
    """

    def __init__(self, message: str, path: str = "") -> None:
        # All of them are arguments, from which it is made again in another process.
        super().__init__(message, path)
        self.path = path

    def __str__(self) -> str:
        return self.args[0]


class Answer(NamedTuple):
    """What the simulator answers; the tasks are those of a simulation."""

    value: Any
    tasks: np.ndarray
    killed: np.ndarray


def source(scenario: Scenario) -> Mapping[str, Any] | str:
    """A scenario or a generator as a request has it."""
    if isinstance(scenario, os.PathLike):
        return Path(scenario).read_text(encoding="utf-8")
    if isinstance(scenario, (bytes, bytearray, memoryview)):
        return bytes(scenario).decode("utf-8")
    if isinstance(scenario, (str, Mapping)):
        return scenario
    kind = type(scenario).__name__
    raise TypeError(f"a scenario is a dict, its text, a path or \"catalog:NAME\", not {kind}")


def names(policies: str | Iterable[str]) -> list[str]:
    """Policies as a request has them: a string is one policy."""
    return [policies] if isinstance(policies, str) else [str(policy) for policy in policies]


def chosen(policies: Policy | Iterable[Policy]) -> list[str | dict[str, Any]]:
    """As ``names``, but a policy may be a ``dict`` with a program."""
    given = [policies] if isinstance(policies, (str, Mapping)) else policies
    return [dict(policy) if isinstance(policy, Mapping) else str(policy) for policy in given]


def _plain(value: Any) -> Any:
    """What NumPy and pandas calculate, as JSON has it."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dict("records")
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, (tuple, set, frozenset, range)) or hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"a scenario cannot have a {type(value).__name__}")


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


def ask(kind: str, *, files: Iterable[tuple[str, bytes]] = (), **values: Any) -> Answer:
    """Answers a request, in an instance of its own: one that was interrupted is of no more use."""
    engine, module = _module()
    store = Store(engine)
    with _interrupts() as check:
        # What a dependency would ask of a browser is not called.
        imports = [Func(store, wanted.type, check if wanted.name == "check_interrupt" else lambda *_: None)
                   for wanted in module.imports]
        exports = Instance(store, module, imports).exports(store)
        memory = exports["memory"]

        def given(data: bytes) -> int:
            start = exports["allocate"](store, len(data)) & 0xFFFF_FFFF
            memory.write(store, data, start)
            return start

        if files:
            values["files"] = [{"name": name, "start": given(data), "length": len(data)} for name, data in files]
        try:
            text = json.dumps({kind: values}, allow_nan=False, default=_plain).encode()
        except ValueError as error:
            raise FairlaneError(f"{error}; a number of a scenario is finite") from None
        start = exports["call"](store, given(text), len(text)) & 0xFFFF_FFFF
        # Three columns: their addresses and numbers of elements.
        parts = np.frombuffer(memory.read(store, start, start + 24), "<u4").tolist()

        def column(at: int, dtype: Any) -> np.ndarray:
            start, length = parts[2 * at:2 * at + 2]
            dtype = np.dtype(dtype)
            data = memory.read(store, start, start + length * dtype.itemsize)
            return np.frombuffer(data, dtype)

        answer = json.loads(column(2, "u1").tobytes())
        if "error" in answer:
            raise FairlaneError(answer["error"]["message"], answer["error"]["path"])
        return Answer(answer["value"], tasks=column(0, TASK), killed=column(1, "<u4"))
