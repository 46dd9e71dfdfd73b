"""Scenarios and policies as the simulator takes them: text as it is, what Python holds as JSON in bytes."""

from __future__ import annotations

import json
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Union

if TYPE_CHECKING:
    from ._native import Stage

Scenario = Union[Mapping[str, Any], str, bytes, "os.PathLike[str]"]
"""A scenario: a ``dict`` as a scenario file has it, which may hold what NumPy and pandas calculate; the text or the path
of such a file; or ``"catalog:NAME"``."""

Policy = Union[str, Mapping[str, Any], "Ranks", Callable[["Stage"], Any]]
"""A policy: its name, or one of your own: a program, ``{"program": "running / weight"}``, a function that ranks a stage,
or an object with ``key(stage)`` and handlers. In a ``dict`` a ``"program"`` may have a name such as
``"policy": "custom:mine-p"`` and a ``"seed"``."""


class Ranks(Protocol):
    """A policy of your own: of ``docs/custom.md`` also ``cap``, ``target`` and handlers such as ``on_arrival``."""

    def key(self, stage: Stage) -> Any:
        """What ranks a waiting stage, least first: a number, a text, a truth value, or a list or a dict of these."""


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


Chosen = Union[str, bytes, "tuple[Any, str, int | None]"]
"""A policy as the simulator takes it: its name, a program, or an object with its name and its seed."""


def chosen(policies: Policy | Iterable[Policy]) -> list[Chosen]:
    """As ``names``, but a policy may be one of your own."""
    is_one = isinstance(policies, (str, Mapping)) or callable(policies) or hasattr(policies, "key")
    return [_chosen(policy) for policy in ([policies] if is_one else policies)]


def _chosen(policy: Any) -> Chosen:
    if isinstance(policy, str):
        if "," in policy:
            raise FairlaneError(f"a text is one policy; give several as a list: {policy.split(',')}")
        return str(policy)
    if not isinstance(policy, Mapping):
        return policy, _name(policy), None
    if "program" not in policy:
        raise FairlaneError(f"a policy in a dict has a `program`; this one has {', '.join(map(repr, policy))}")
    program, seed = policy.get("program", ""), policy.get("seed")
    seed = None if seed is None else whole("a seed", seed)
    if isinstance(program, str):
        return encoded(policy if seed is None else {**policy, "seed": seed})
    if unknown := set(policy) - {"program", "policy", "seed"}:
        raise FairlaneError(f"a policy has a program, a policy and a seed, not {', '.join(map(repr, sorted(unknown)))}")
    name = policy.get("policy", _name(program))
    if not isinstance(name, str):
        raise FairlaneError(f'the name of a policy is a text such as "custom:mine", not {_short(name)}')
    if not name.startswith("custom"):
        raise FairlaneError(f'{name} is no program\'s name, which begins with "custom", such as "custom:{name}"')
    return program, name, seed


def whole(what: str, value: Any, most: int = 2**32 - 1) -> int:
    """A whole number that the simulator takes, also one of NumPy, or a float that is whole."""
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= most:
        raise FairlaneError(f"{what} is a whole number from 0 to {most}, not {_short(value)}")
    return number


def several(what: str, values: Any) -> list[Any]:
    """A value or several."""
    if isinstance(values, (str, bytes)):
        raise FairlaneError(f"`{what}` is a number or several, not {_short(values)}")
    return list(values) if hasattr(values, "__iter__") else [values]


def numbers(what: str, values: Any) -> list[float]:
    """A number or several that the simulator takes, also of NumPy."""
    try:
        return [value if isinstance(value, int) else float(value) for value in several(what, values)]
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, FairlaneError) else FairlaneError(
            f"`{what}` is a number or several, not {_short(values)}") from None


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write very long numbers.
        text = ""
    return text if 0 < len(text) <= 40 else f"this {type(value).__name__}"


def _name(policy: Any) -> str:
    """What the results of an object or a function are called."""
    name = getattr(policy, "__name__", type(policy).__name__)
    return f"custom:{name[:40]}" if re.fullmatch(r"\w+", name, re.ASCII) else "custom"


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
