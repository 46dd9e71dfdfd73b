"""An exact simulator of Apache Spark's task scheduler for many users on one cluster.

>>> import fairlane
>>> run = fairlane.simulate("catalog:two-users", "uwfq")
>>> list(run.tasks.columns[:4])
['job', 'stage', 'task', 'core']

A scenario is a ``dict`` as a scenario file has it, the text or the path of such a file, or ``"catalog:NAME"``.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._input import FairlaneError, Policy, Scenario, chosen, encoded, numbers, several, source, whole
from ._lab import show, to_html
from ._native import LAB, VERSION as __version__
from ._results import Log, Simulation, Table, Why, flat, frame, same_schedule
from ._table import parts_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "LAB", "FairlaneError", "Log", "Policy", "Scenario", "Simulation", "Table", "Why", "__version__", "catalog",
    "compare", "generate", "import_log", "import_table", "policies", "scenario", "show", "simulate", "sweep",
    "to_html",
]


def simulate(scenario: Scenario, policy: Policy, *, twice: bool = False) -> Simulation:
    """Simulates a scenario under a policy, such as ``uwfq`` or, with runtime partitioning, ``uwfq-p``, or under one of
    your own, such as ``lambda stage: stage.running / stage.weight``.

    An object is copied first, so that each simulation begins with it as it is. With ``twice`` it is an error if another
    simulation has another schedule."""
    asked = source(scenario), chosen([policy])[0]
    run = Simulation(*_native.simulate(*asked), asked)
    if twice:
        same_schedule(run, Simulation(*_native.simulate(*asked)))
    return run


def compare(scenario: Scenario, policies: Policy | Iterable[Policy]) -> pd.DataFrame:
    """The figures of each policy on a scenario: a row per policy."""
    comparison = json.loads(_native.compare(source(scenario), chosen(policies)))
    return frame(flat(row) for row in comparison["policies"]).set_index("policy")


def generate(workload: Scenario, seed: int | None = None) -> dict[str, Any]:
    """The scenario that a generator makes of a seed. A generator is a file, or ``"catalog:NAME"`` if that is generated."""
    seed = None if seed is None else whole("a seed", seed, 2**64 - 1)
    return json.loads(_native.generate(source(workload), encoded(seed)))


def sweep(
    workload: Scenario,
    policies: Policy | Iterable[Policy],
    *,
    atr: float | Iterable[float] = (),
    load: float | Iterable[float] = (),
    seeds: int | Iterable[int] = (),
    estimate_error: float | Iterable[float] = (),
    metrics: str | Iterable[str] | None = None,
) -> pd.DataFrame:
    """Policies over a grid of settings, as ``fairlane sweep``: a row per point. A setting is a number or several; seeds
    need a generator or estimates that err. Only some ``metrics``, such as ``["mean_response_s", "p95_response_s"]``,
    are quicker than all. A point that cannot be simulated has ``error_message`` and ``error_path``, and is warned of.
    The points are simulated on all cores, but one after the other under a policy of your own in Python; what that
    raises ends the sweep."""
    axes: dict[str, Any] = {
        "atr": numbers("atr", atr), "load": numbers("load", load),
        "seeds": [whole("a seed", seed, 2**64 - 1) for seed in several("seeds", seeds)],
        "estimate_error": numbers("estimate_error", estimate_error),
    }
    axes["metrics"] = None if metrics is None else [metrics] if isinstance(metrics, str) else list(metrics)
    rows = json.loads(_native.sweep(source(workload), chosen(policies), encoded(axes)))
    failed = [row for row in rows if row.get("error")]
    if failed:
        warnings.warn(f"{len(failed)} of {len(rows)} points could not be simulated, and have no figures: see "
                      "error_message; means over the others compare unequal things", stacklevel=2)
    return frame(flat(row) for row in rows).set_index("point")


def import_log(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, users: str | None = None,
    estimates: str | None = None, share: bool = False,
) -> Log:
    """Reads the event log of a Spark application, as ``fairlane import``: a file, or the folder of a rolling log; or
    the logs of several applications. They have executors of their own each, unless ``share`` asks what one shared
    application would have done."""
    read = []
    for log in map(Path, [path] if isinstance(path, (str, os.PathLike)) else path):
        found = sorted(file for file in log.iterdir() if file.is_file()) if log.is_dir() else [log]
        read.append([(file.name, file.read_bytes()) for file in found])
    answer, run = _native.import_log(read, users, estimates, bool(share))
    log = json.loads(answer)
    return Log(log["scenario"], Simulation(log["observed"], run), log["report"])


def import_table(
    table: Any, *, cores: int, columns: str | Mapping[str, str] | None = None,
) -> Table:
    """Makes a scenario of a table with a row for each task or job, as ``fairlane import --columns``, on so many cores.

    A table is a data frame of pandas or Polars, a table of Arrow, a ``dict`` of columns, or one or several files as
    comma-separated values or Parquet. ``columns`` says which column has what: ``"wta"`` for the Workflow Trace Archive,
    or such as ``{"submit": "at", "runtime": "took", "user": "owner", "unit": "ms"}``, of ``submit``, ``runtime``,
    ``start``, ``end``, ``job``, ``user``, ``cores``, ``tasks``, ``task``, ``parents``. By default columns are called
    so."""
    parts, mapping = parts_of(table, columns)
    imported = json.loads(_native.import_table(parts, mapping, whole("`cores`", cores)))
    return Table(imported["scenario"], imported["report"])


def catalog() -> pd.DataFrame:
    """The scenarios of the catalog: a row per scenario."""
    import pandas as pd

    return pd.DataFrame(json.loads(_native.catalog())).set_index("name")


def scenario(name: str) -> dict[str, Any]:
    """A scenario of the catalog by its name, to look at or to change."""
    return json.loads(_native.scenario(name))


def policies() -> pd.DataFrame:
    """What the policies declare of themselves: a row per policy."""
    import pandas as pd

    return pd.DataFrame(json.loads(_native.policies())).set_index("id")
