"""An exact simulator of Apache Spark's task scheduler for many users on one cluster.

>>> import fairlane
>>> run = fairlane.simulate("catalog:two-users", "uwfq")
>>> list(run.tasks.columns[:4])
['job', 'stage', 'task', 'core']

A scenario is a ``dict`` as a scenario file has it, the text or the path of such a file, or ``"catalog:NAME"``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._lab import show
from ._project import LAB, __version__
from ._simulator import Answer, FairlaneError, Policy, Scenario, ask, chosen, names, source

__all__ = [
    "LAB", "FairlaneError", "Log", "Policy", "Scenario", "Simulation", "__version__", "catalog", "compare", "generate",
    "import_log", "policies", "scenario", "show", "simulate", "sweep",
]

_TEXT = {
    "error_message", "error_path", "fingerprint", "group", "name", "outcome", "policy", "scenario", "trace_hash",
    "user",
}
_COUNTS = {"cancelled", "dropped", "job", "jobs", "point", "rejected"}


def _frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows of figures. A column has the same type whatever its values: text, a count, or a number that may not exist."""
    frame = pd.json_normalize(list(rows), sep="_")
    known = dict.fromkeys(_TEXT, "string") | dict.fromkeys(_COUNTS, "int64") | {"attempts": "Int64", "seed": "Int64"}
    types = {name: known.get(name, "float64") for name in frame.columns}
    # Counts of what did not happen are left out.
    return frame.fillna({name: 0 for name, kind in types.items() if kind == "int64"}).astype(types)


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulation: data frames of its tasks, jobs and users, and all figures. Two are equal if all figures are."""

    tasks: pd.DataFrame
    """Tasks in the order of launch: job, stage, task, core, start_s, end_s, user, and whether a drop killed them."""
    jobs: pd.DataFrame
    """A row per job, by index in the file."""
    users: pd.DataFrame
    """A row per user, in the scenario's order."""
    figures: dict[str, Any] = field(repr=False)
    """What ``fairlane simulate --format json`` prints."""

    @property
    def hash(self) -> str:
        """The schedule's fingerprint, as ``fairlane simulate --hash`` prints it."""
        return self.figures["trace_hash"]

    def __eq__(self, other: object) -> bool:
        return self.figures == other.figures if isinstance(other, Simulation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)


@dataclass(frozen=True, eq=False)
class Log:
    """An event log of a real cluster."""

    scenario: dict[str, Any]
    """What was run, to simulate it under any policy."""
    observed: Simulation
    """What happened."""
    report: dict[str, Any] = field(repr=False)
    """What was carried over and what was not, as ``fairlane import --format json`` prints it."""


def _simulation(figures: dict[str, Any], answer: Answer) -> Simulation:
    jobs = _frame(figures["jobs"])
    users = _frame(figures["users"])
    known = pd.Index(users["user"])
    user_of_job = known.get_indexer(jobs["user"])
    records = answer.tasks
    killed = np.zeros(len(records), dtype=bool)
    killed[answer.killed] = True
    columns: dict[str, Any] = {name: records[name].astype("int64") for name in ("job", "stage", "task", "core")}
    columns |= {f"{name}_s": records[name] / 1e6 for name in ("start", "end")}
    columns["user"] = pd.Categorical.from_codes(user_of_job[columns["job"]], categories=known)
    columns["killed"] = killed
    return Simulation(pd.DataFrame(columns), jobs.set_index("job"), users.set_index("user"), figures)


def simulate(scenario: Scenario, policy: Policy) -> Simulation:
    """Simulates a scenario under a policy, such as ``uwfq`` or, with runtime partitioning, ``uwfq-p``, or under a
    program: ``{"program": "running / weight"}``."""
    [policy] = chosen([policy])
    answer = ask("simulate", scenario=source(scenario), policy=policy)
    return _simulation(answer.value, answer)


def compare(scenario: Scenario, policies: Policy | Iterable[Policy]) -> pd.DataFrame:
    """The figures of each policy on a scenario: a row per policy."""
    comparison = ask("compare", scenario=source(scenario), policies=chosen(policies)).value
    return _frame(_flat(row) for row in comparison["policies"]).set_index("policy")


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Figures without those of users and groups."""
    return {key: value for key, value in row.items() if key not in ("users", "groups")}


def generate(workload: Scenario, seed: int | None = None) -> dict[str, Any]:
    """The scenario that a generator makes of a seed. A generator is a file, or ``"catalog:NAME"`` if that is generated."""
    return ask("generate", workload=source(workload), seed=None if seed is None else int(seed)).value


def sweep(
    workload: Scenario,
    policies: str | Iterable[str],
    *,
    atr: float | Iterable[float] = (),
    load: float | Iterable[float] = (),
    seeds: int | Iterable[int] = (),
    estimate_error: float | Iterable[float] = (),
) -> pd.DataFrame:
    """Policies over a grid of settings, as ``fairlane sweep``: a row per point. A setting is a number or several; seeds
    need a generator or estimates that err. A point that cannot be simulated has ``error_message`` and ``error_path``."""
    settings = {"atr": atr, "load": load, "seeds": seeds, "estimate_error": estimate_error}
    rows = ask("sweep", workload=source(workload), policies=names(policies),
               **{key: list(values) if hasattr(values, "__iter__") else [values]
                  for key, values in settings.items()}).value
    return _frame(_flat(row) for row in rows).set_index("point")


def import_log(
    path: str | os.PathLike[str], *, users: str | None = None, estimates: str | None = None,
) -> Log:
    """Reads the event log of a Spark application, as ``fairlane import``: a file, or the folder of a rolling log."""
    path = Path(path)
    found = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    read = [(file.name, file.read_bytes()) for file in found]
    answer = ask("import", files=read, users=users, estimates=estimates)
    return Log(answer.value["scenario"], _simulation(answer.value["observed"], answer), answer.value["report"])


def catalog() -> pd.DataFrame:
    """The scenarios of the catalog: a row per scenario."""
    return pd.DataFrame(ask("catalog").value).set_index("name")


def scenario(name: str) -> dict[str, Any]:
    """A scenario of the catalog by its name, to look at or to change."""
    return ask("scenario", name=name).value


def policies() -> pd.DataFrame:
    """What the policies declare of themselves: a row per policy."""
    return pd.DataFrame(ask("policies").value).set_index("id")
