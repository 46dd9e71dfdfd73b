"""Scenarios and policies as the simulator takes them: text as it is, what Python holds as JSON in bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Union

Scenario = Union[Mapping[str, Any], str, bytes, "os.PathLike[str]"]
"""A scenario: a ``dict`` as a scenario file has it, which may hold what NumPy and pandas calculate; the text or the path
of such a file; or ``"catalog:NAME"``."""

Policy = Union[str, Mapping[str, Any]]
"""A policy: its name, or a program of your own, ``{"program": "running / weight"}``, with a name such as
``"policy": "custom:mine-p"`` and a ``"seed"`` if you like."""


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


def source(scenario: Scenario) -> str | bytes:
    """A scenario or a generator."""
    if isinstance(scenario, os.PathLike):
        return Path(scenario).read_text(encoding="utf-8")
    if isinstance(scenario, (bytes, bytearray, memoryview)):
        return bytes(scenario).decode("utf-8")
    if isinstance(scenario, str):
        return scenario
    if isinstance(scenario, Mapping):
        return encoded(scenario)
    kind = type(scenario).__name__
    raise TypeError(f"a scenario is a dict, its text, a path or \"catalog:NAME\", not {kind}")


def names(policies: str | Iterable[str]) -> list[str]:
    """Policies by name: a string is one policy."""
    return [policies] if isinstance(policies, str) else [str(policy) for policy in policies]


def chosen(policies: Policy | Iterable[Policy]) -> list[str | bytes]:
    """As ``names``, but a policy may be a ``dict`` with a program."""
    given = [policies] if isinstance(policies, (str, Mapping)) else policies
    return [encoded(policy) if isinstance(policy, Mapping) else str(policy) for policy in given]


def encoded(value: Any) -> bytes:
    """A value as JSON."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain).encode()
    except ValueError as error:
        raise FairlaneError(f"{error}; a number of a scenario is finite") from None


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
