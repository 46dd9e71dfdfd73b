"""What a simulation comes to. pandas and NumPy are loaded with the first data frame that somebody asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from ._native import Tasks

_TEXT = {
    "error_message", "error_path", "fingerprint", "group", "name", "outcome", "policy", "scenario", "trace_hash",
    "user",
}
_COUNTS = {"cancelled", "dropped", "job", "jobs", "point", "rejected"}


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows of figures. A column has the same type whatever its values: text, a count, or a number that may not exist."""
    import pandas as pd

    frame = pd.json_normalize(list(rows), sep="_")
    known = dict.fromkeys(_TEXT, "string") | dict.fromkeys(_COUNTS, "int64") | {"attempts": "Int64", "seed": "Int64"}
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

    def __init__(self, figures: dict[str, Any], tasks: Tasks) -> None:
        self.figures = figures
        self._tasks = tasks

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """Tasks in the order of launch: job, stage, task, core, start_s, end_s, user, and whether a drop killed them."""
        import pandas as pd

        columns = self._tasks.columns()
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

    def __eq__(self, other: object) -> bool:
        return self.figures == other.figures if isinstance(other, Simulation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"Simulation(tasks={self.tasks!r}, jobs={self.jobs!r}, users={self.users!r})"

    def __getstate__(self) -> dict[str, Any]:
        # Another process gets the data frame: what the simulator holds stays here.
        return {"figures": self.figures, "tasks": self.tasks}


@dataclass(frozen=True, eq=False)
class Log:
    """An event log of a real cluster."""

    scenario: dict[str, Any]
    """What was run, to simulate it under any policy."""
    observed: Simulation
    """What happened."""
    report: dict[str, Any] = field(repr=False)
    """What was carried over and what was not, as ``fairlane import --format json`` prints it."""
