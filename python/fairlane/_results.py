"""What a simulation comes to. pandas and NumPy are loaded with the first data frame that somebody asks for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._input import Chosen, FairlaneError, whole
from ._page import page

if TYPE_CHECKING:
    import pandas as pd

_TEXT = {
    "error_message", "error_path", "fingerprint", "group", "name", "outcome", "policy", "scenario", "trace_hash",
    "user",
}
_COUNTS = {"cancelled", "dropped", "job", "jobs", "point", "rejected"}
_MISSING_COUNTS = {
    "attempts", "deadlines_met", "furthest_behind_job", "seed",
    *(f"against_{ideal}_{count}" for ideal in ("ujf", "fluid") for count in ("slacks", "unrated", "violations")),
}
"""Counts that may not exist."""


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows of figures. A column has the same type whatever its values: text, a count, or a number that may not exist."""
    import pandas as pd

    frame = pd.json_normalize(list(rows), sep="_")
    known = {name: kind for names, kind in [(_TEXT, "string"), (_COUNTS, "int64"), (_MISSING_COUNTS, "Int64")]
             for name in names}
    types = {name: known.get(name, "float64") for name in frame.columns}
    # Counts of what did not happen are left out.
    return frame.fillna({name: 0 for name, kind in types.items() if kind == "int64"}).astype(types)


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Figures without those of users and groups."""
    return {key: value for key, value in row.items() if key not in ("users", "groups")}


class Simulation:
    """A simulation: data frames of its tasks, jobs and users, and all figures. Two are equal if all figures are."""

    figures: dict[str, Any]
    """What ``fairlane simulate --format json`` prints."""

    def __init__(self, figures: dict[str, Any] | str, run: _native.Run,
                 asked: tuple[str | bytes, Chosen] | None = None) -> None:
        self.figures = json.loads(figures) if isinstance(figures, str) else figures
        self._run: _native.Run | None = run
        self._asked = asked

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """Tasks in the order of launch: job, stage, task, core, start_s, end_s, user, and whether a drop killed them."""
        import pandas as pd

        columns = self._kept().columns()
        killed = columns.pop("killed")
        known = pd.Index(self.users.index, name="user")
        user_of_job = known.get_indexer(self.jobs["user"])
        columns["user"] = pd.Categorical.from_codes(user_of_job[columns["job"]], categories=known)
        columns["killed"] = killed
        return pd.DataFrame(columns, copy=False)

    @cached_property
    def jobs(self) -> pd.DataFrame:
        """A row per job, by index in the file."""
        return frame(self.figures["jobs"]).set_index("job")

    @cached_property
    def users(self) -> pd.DataFrame:
        """A row per user, in the scenario's order."""
        return frame(self.figures["users"]).set_index("user")

    @property
    def hash(self) -> str:
        """The schedule's fingerprint, as ``fairlane simulate --hash`` prints it."""
        return self.figures["trace_hash"]

    def svg(self, width: int = 800) -> str:
        """The schedule as an SVG picture in the lab's light colours; its plot is so many pixels wide."""
        return self._kept().picture(whole("`width`", width))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """A page with the schedule and the figures that needs nothing else, or, with a path, writes it there."""
        text = page(self.figures, self.svg(1000))
        if path is None:
            return text
        Path(path).write_text(text, encoding="utf-8")
        return None

    def _repr_html_(self) -> str:
        return self.svg()

    def why(self, task: int) -> Why:
        """Why a task, by its row of ``tasks``, was launched when it was: the simulation is repeated up to there. Not of
        what was observed or played."""
        if self._asked is None:
            raise FairlaneError("nobody can be asked why: no policy of this process has decided this schedule")
        answer = json.loads(_native.why(*self._asked, whole("the row of a task", task)))
        if answer["trace_hash"] != self.hash:
            raise FairlaneError("the schedule was another one this time; simulate with twice=True")
        return Why(answer["time_s"], answer["reason"], answer["stages"])

    def holders(self, job: int) -> pd.Series:
        """Who held the cores while some task of a job, by its row of ``jobs``, waited: core-seconds by user, the most
        first; empty if none waited."""
        import pandas as pd

        held = self._kept().holders(whole("the row of a job", job))
        if held is None:
            raise FairlaneError(f"there is no job {job}; give the row of one of the {len(self.jobs)} jobs")
        held = pd.Series(dict(held), name="core_s", dtype="float64").rename_axis("user")
        return held.sort_values(ascending=False, kind="stable")

    def _kept(self) -> _native.Run:
        if self._run is None:
            raise FairlaneError("the schedule stayed with the process that simulated; ask for its picture there")
        return self._run

    def __eq__(self, other: object) -> bool:
        return self.figures == other.figures if isinstance(other, Simulation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"Simulation(tasks={self.tasks!r}, jobs={self.jobs!r}, users={self.users!r})"

    def __getstate__(self) -> dict[str, Any]:
        # Another process gets the data frame: what the simulator holds stays here.
        return {"figures": self.figures, "tasks": self.tasks, "_run": None, "_asked": None}


class Why:
    """A decision: the instant, a sentence, and the stages that waited, in the order of their keys."""

    def __init__(self, time_s: float, reason: str, stages: list[dict[str, Any]]) -> None:
        self.time_s, self.reason, self._stages = time_s, reason, stages

    @cached_property
    def stages(self) -> pd.DataFrame:
        """A row per waiting stage, best first: tasks that wait, run and are launched now, and a column for each part of
        its key, in microseconds where the policy counts those."""
        import pandas as pd

        return pd.DataFrame([{**{name: value for name, value in stage.items() if name != "key"}, **stage["key"]}
                             for stage in self._stages])

    def __repr__(self) -> str:
        return f"Why(time_s={self.time_s}, reason={self.reason!r})"


def same_schedule(one: Simulation, other: Simulation) -> None:
    """Raises an error if two simulations of the same differ: it names the first task that does."""
    if one.hash == other.hash:
        return
    columns = ["job", "stage", "task", "core", "start_s", "end_s"]
    rows = [run.tasks[columns].to_dict("records") for run in (one, other)]
    first = next((index for index, (a, b) in enumerate(zip(*rows)) if a != b), min(map(len, rows)))
    a, b = ([*row[first:first + 1], {}][0] for row in rows)
    at = min((row["start_s"] for row in (a, b) if row), default=0.0)
    raise FairlaneError(
        f"the policy {one.figures['policy']} is not deterministic: from {at} s on two simulations differ (launch "
        f"{first}: {a} and {b}); let it depend on nothing but what it is given, and use `cluster.random()`")


@dataclass(frozen=True, eq=False)
class Log:
    """An event log of a real cluster."""

    scenario: dict[str, Any]
    """What was run, to simulate it under any policy."""
    observed: Simulation
    """What happened."""
    report: dict[str, Any] = field(repr=False)
    """What was carried over and what was not, as ``fairlane import --format json`` prints it."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of tasks or jobs."""

    scenario: dict[str, Any]
    """What was run, to simulate it under any policy."""
    report: dict[str, Any] = field(repr=False)
    """What was carried over and what was not, as ``fairlane import --columns --format json`` prints it."""
