"""Tables of tasks and jobs as comma-separated values, whatever holds them."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from ._input import FairlaneError

_KINDS = ("submit", "runtime", "start", "end", "job", "user", "cores", "tasks", "task", "parents")
_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6}


def parts_of(table: Any, columns: str | Mapping[str, str] | None) -> tuple[list[str | bytes], str]:
    """The parts of a table, paths or comma-separated values, and which column has what."""
    if isinstance(table, (str, os.PathLike)):
        table = [table]
    if isinstance(table, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) for one in table):
        if not columns:
            raise ValueError(
                'say which columns of a file have what, such as columns={"submit": "at", "runtime": "took"}')
        return [os.fspath(one) for one in table], columns if isinstance(columns, str) else _written(columns)
    data = _columns(table)
    mapping = columns if isinstance(columns, str) and columns else _written(_named(data, columns or {}))
    if "submit=" not in mapping and not mapping.startswith("wta"):
        raise FairlaneError(f"no column is called submit; say which one it is, such as columns={{'submit': 'at'}}: the "
                            f"table has {', '.join(list(data)[:30])}")
    unit = re.search(r"unit\s*=\s*(\w+)", mapping)
    scale = _UNITS.get(unit[1], 1.0) if unit else 1e3 if mapping.startswith("wta") else 1.0
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(data)
    writer.writerows(zip(*([_text(value, scale) for value in values] for values in data.values())))
    return [text.getvalue().encode()], mapping


def _named(there: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Which column has what: those that are given, and those that are called so. Who says how long a task takes says
    all of it."""
    times = {"runtime", "start", "end"}
    known = set(given) | set(given.values()) | (times if times & set(given) else set())
    return {**{kind: kind for kind in _KINDS if kind in set(there) - known}, **given}


def _written(columns: Mapping[str, str]) -> str:
    """As the simulator takes it."""
    return ",".join(f"{kind}={column}" for kind, column in columns.items())


def _columns(table: Any) -> dict[str, Iterable[Any]]:
    """The columns of a data frame, of a table of Arrow, or of a ``dict``."""
    names = table if isinstance(table, Mapping) else getattr(table, "column_names", getattr(table, "columns", None))
    if names is None or callable(names):
        if hasattr(table, "__arrow_c_stream__"):
            return _columns(_arrow(table))
        kind = type(table).__name__
        raise TypeError(f"a table is a data frame, a dict of columns, or the path of a file, not {kind}")
    columns = {str(name): _values(table[name]) for name in names}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns of a table have one length, not {sorted(lengths)}")
    return columns


def _arrow(table: Any) -> Any:
    """What only speaks Arrow's C stream."""
    try:
        import pyarrow
    except ImportError:
        import pandas as pd

        if not hasattr(pd.DataFrame, "from_arrow"):
            raise TypeError("reading Arrow's C stream needs pyarrow; pip install pyarrow") from None
        return pd.DataFrame.from_arrow(table)
    return pyarrow.table(table)


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def _text(value: Any, scale: float) -> Any:
    """As a file has it: instants and lengths of time in the unit of all times, several parents behind each other."""
    if value is None or value != value:
        return ""
    if isinstance(value, timedelta):
        return repr(value.total_seconds() * scale)
    if isinstance(value, datetime):
        return repr(value.timestamp() * scale)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple, set)) or hasattr(value, "tolist") and getattr(value, "ndim", 0):
        return " ".join(str(one) for one in value)
    return value
