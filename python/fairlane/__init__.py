"""An exact simulator of Apache Spark's task scheduler for many users on one cluster.

>>> import fairlane
>>> run = fairlane.simulate("catalog:two-users", "uwfq")
>>> list(run.tasks.columns[:4])
['job', 'stage', 'task', 'core']

A scenario is a ``dict`` as a scenario file has it, the text of such a file, or ``"catalog:NAME"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ._lab import LAB, show
from ._simulator import FairlaneError, call
from ._version import __version__

__all__ = [
    "LAB", "FairlaneError", "Simulation", "__version__", "catalog", "compare", "policies", "scenario", "show",
    "simulate",
]


@dataclass(frozen=True)
class Simulation:
    """A simulation: data frames of its tasks, jobs and users, and all figures."""

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


def simulate(scenario: dict[str, Any] | str, policy: str) -> Simulation:
    """Simulates a scenario under a policy, such as ``uwfq`` or, with runtime partitioning, ``uwfq-p``."""
    figures = call({"simulate": {"scenario": scenario, "policy": policy}})
    trace = figures.pop("trace")
    tasks = pd.DataFrame(trace["tasks"], columns=["job", "stage", "task", "core", "start_s", "end_s"])
    tasks[["start_s", "end_s"]] /= 1e6
    jobs = pd.DataFrame(figures["jobs"])
    tasks["user"] = tasks["job"].map(jobs["user"])
    tasks["killed"] = tasks.index.isin(trace.get("killed", []))
    return Simulation(tasks, jobs.set_index("job"), pd.json_normalize(figures["users"]).set_index("user"), figures)


def compare(scenario: dict[str, Any] | str, policies: Iterable[str]) -> pd.DataFrame:
    """The figures of each policy on a scenario: a row per policy."""
    comparison = call({"compare": {"scenario": scenario, "policies": list(policies)}})
    figures = [{key: value for key, value in policy.items() if key not in ("users", "groups")}
               for policy in comparison["policies"]]
    return pd.json_normalize(figures).set_index("policy")


def catalog() -> pd.DataFrame:
    """The scenarios of the catalog: a row per scenario."""
    return pd.DataFrame(call({"catalog": {}})).set_index("name")


def scenario(name: str) -> dict[str, Any]:
    """A scenario of the catalog by its name, to look at or to change."""
    return call({"scenario": {"name": name}})


def policies() -> pd.DataFrame:
    """What the policies declare of themselves: a row per policy."""
    return pd.DataFrame(call({"policies": {}})).set_index("id")
