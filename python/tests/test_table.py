"""Tables of tasks and jobs."""

import os
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pandas as pd

import fairlane

JOBS = {
    "user": ["ana", "ben", "ana"],
    "submit": [100.0, 101.5, 103.0],
    "runtime": [3.0, 2.0, 1.0],
    "tasks": [4, 1, 2],
}


class Names:
    """A table that only has names of columns and columns, as one of Arrow."""

    column_names = list(JOBS)

    def __getitem__(self, name):
        return np.array(JOBS[name])


class Tables(unittest.TestCase):
    def test_every_table_of_jobs_is_the_same_scenario(self):
        expected = fairlane.import_table(JOBS, cores=4).scenario
        self.assertEqual([job["arrival_s"] for job in expected["jobs"]], [0, 1.5, 3])
        self.assertEqual(len(fairlane.simulate(expected, "fair").tasks), 7)
        frame = pd.DataFrame(JOBS)
        times = frame.assign(
            submit=[datetime.fromtimestamp(at, timezone.utc) for at in JOBS["submit"]],
            runtime=[timedelta(seconds=one) for one in JOBS["runtime"]])
        renamed = frame.rename(columns={"submit": "at"})
        renamed = renamed.assign(runtime=frame["runtime"] * 1e3, at=frame["submit"] * 1e3)
        # What is called what it has need not be named.
        self.assertEqual(fairlane.import_table(frame.rename(columns={"submit": "at"}), cores=4,
                                               columns={"submit": "at"}).scenario["jobs"], expected["jobs"])
        mapping = {"submit": "at", "runtime": "runtime", "user": "user", "tasks": "tasks", "unit": "ms"}
        tables = [(frame, None), (Names(), None), (times, None), (renamed, mapping),
                  (renamed, ",".join(f"{kind}={column}" for kind, column in mapping.items()))]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "jobs.csv")
            frame.to_csv(path, index=False)
            named = {kind: kind for kind in JOBS}
            tables += [(path, named), ([str(path)], named)]
            for table, columns in tables:
                imported = fairlane.import_table(table, cores=4, columns=columns)
                self.assertEqual(imported.scenario, expected, type(table))
                self.assertEqual(imported.report["rows"]["imported"], 3)

    def test_other_libraries_are_read(self):
        expected = fairlane.import_table(JOBS, cores=4).scenario
        for library, make in [("polars", "DataFrame"), ("pyarrow", "table")]:
            try:
                module = __import__(library)
            except ImportError:
                continue
            self.assertEqual(fairlane.import_table(getattr(module, make)(JOBS), cores=4).scenario, expected)

    def test_stages_wait_for_their_parents(self):
        tasks = pd.DataFrame({"job": ["j", "j", "j"], "task": ["a", "b", "c"], "parents": [[], ["a"], ["a", "b"]],
                              "submit": [0, 0, 0], "runtime": [1, 2, 3]})
        imported = fairlane.import_table(tasks, cores=2)
        parents = [stage.get("parents") for stage in imported.scenario["jobs"][0]["stages"]]
        # A stage waits for the one before it unless the file says something else.
        self.assertEqual(parents[1:], [None, [0, 1]])
        self.assertEqual(fairlane.simulate(imported.scenario, "fifo").figures["makespan_s"], 6)

    def test_a_trace_without_headings_is_read_by_numbers(self):
        columns = {"tasks": "2", "job": "3", "submit": "6", "end": "7", "cores": "8/100"}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "batch_task.csv")
            path.write_text("M1,2,j_1,1,Terminated,100,130,100,0.3\nM2,1,j_2,1,Terminated,110,120,200,0.3\n")
            imported = fairlane.import_table(path, cores=96, columns=columns)
            again = fairlane.import_table([path], cores=96, columns=imported.report["columns"])
        self.assertEqual(again.scenario, imported.scenario)
        self.assertEqual([job["arrival_s"] for job in imported.scenario["jobs"]], [0, 10])
        self.assertEqual(len(fairlane.simulate(imported.scenario, "fifo").tasks), 4)

    def test_what_cannot_be_imported_is_said(self):
        missing = fairlane.import_table({**JOBS, "runtime": [3.0, None, float("nan")]}, cores=4)
        self.assertEqual(missing.report["rows"]["left_out"], {"whose runtime is no number": 2})
        for table, columns, cores, message in [
            ({"user": ["ana"]}, None, 4, "no column is called submit; .* the table has user"),
            (JOBS, "submit=at,runtime=runtime", 4, 'no column "at" for submit; it has user'),
            (JOBS, None, 0, "at least one core"),
            (os.devnull + "-there-is-none", "wta", 4, "there-is-none"),
        ]:
            with self.assertRaisesRegex(fairlane.FairlaneError, message):
                fairlane.import_table(table, cores=cores, columns=columns)
        with self.assertRaisesRegex(TypeError, "a table is a data frame"):
            fairlane.import_table(7, cores=1)
        with self.assertRaisesRegex(ValueError, "one length"):
            fairlane.import_table({"submit": [1], "runtime": [1, 2]}, cores=1)
        with self.assertRaisesRegex(ValueError, "which columns of a file"):
            fairlane.import_table("jobs.csv", cores=1)


if __name__ == "__main__":
    unittest.main()
