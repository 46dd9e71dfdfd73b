"""The installed package. FAIRLANE is the native command, which must give the same results."""

import _thread
import doctest
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import redirect_stdout
from multiprocessing import get_context
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

import fairlane
from fairlane import _lab

ROOT = Path(__file__).parents[2]
SHORT = {
    "format": "fairlane/scenario@1",
    "jobs": [{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 2]}]}],
}


def long(jobs: int) -> dict:
    """A scenario of a thousand tasks for each job."""
    return {**SHORT, "jobs": [
        {"user": f"user {job % 40}", "arrival_s": 0, "stages": [{"work_s": 1000, "partitions": 1000}]}
        for job in range(jobs)
    ]}


def native(*values: str):
    return json.loads(subprocess.check_output([os.environ["FAIRLANE"], *values]))


def simulated(policy: str) -> str:
    return fairlane.simulate("catalog:two-users", policy).hash


class Package(unittest.TestCase):
    def test_every_policy_gives_the_figures_of_the_command(self):
        ids = [id + form for id in fairlane.policies().index for form in ("", "-p")]
        expected = native("compare", "catalog:two-users", "--policies", ",".join(ids), "--format", "json")
        hashes = {figures["policy"]: figures["trace_hash"] for figures in expected["policies"]}
        self.assertEqual(fairlane.compare("catalog:two-users", ids)["trace_hash"].to_dict(), hashes)

    def test_a_simulation_is_that_of_the_command(self):
        expected = native("simulate", "catalog:paper-scenario-1", "--policy", "uwfq-p", "--format", "json")
        run = fairlane.simulate(fairlane.scenario("paper-scenario-1"), "uwfq-p")
        self.assertEqual(run.figures, expected)
        self.assertEqual(run.hash, expected["trace_hash"])
        self.assertAlmostEqual(run.tasks["end_s"].max(), expected["makespan_s"])
        self.assertEqual(list(run.users.index), [user["user"] for user in expected["users"]])
        self.assertEqual(set(run.tasks["user"]), set(run.users.index))

    def test_errors_name_the_place_and_the_remedy(self):
        job = {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, -2]}]}
        with self.assertRaises(fairlane.FairlaneError) as raised:
            fairlane.simulate({**SHORT, "jobs": [job]}, "uwfq")
        self.assertEqual(raised.exception.path, "jobs[0].stages[0].tasks_s[1]")
        self.assertIn("must not be negative; give 0 or more seconds", str(raised.exception))
        with self.assertRaisesRegex(fairlane.FairlaneError, 'no policy "lottery"'):
            fairlane.simulate(SHORT, "lottery")
        for ask in [fairlane.simulate, fairlane.sweep]:
            with self.assertRaisesRegex(fairlane.FairlaneError, 'is written "catalog:skew"'):
                ask("skew", "uwfq")
        with self.assertRaisesRegex(fairlane.FairlaneError, "no such scenario in the catalog"):
            fairlane.scenario("nothing")

    def test_programs_are_policies(self):
        program = {"program": "running / weight", "policy": "custom:mine-p"}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "mine.rhai")
            file.write_text(program["program"])
            values = ["simulate", "catalog:skew", "--policy", f"custom:{file}-p", "--hash"]
            expected = subprocess.check_output([os.environ["FAIRLANE"], *values], text=True).strip()
        self.assertEqual(fairlane.simulate("catalog:skew", program).hash, expected)
        compared = fairlane.compare("catalog:skew", ["fair", program, {"program": "arrival"}])
        self.assertEqual(list(compared.index), ["fair", "custom:mine-p", "custom"])
        with self.assertRaisesRegex(fairlane.FairlaneError, "line 1, column 11 of the program: `wait` is unknown"):
            fairlane.simulate("catalog:skew", {"program": "running / wait"})

    def test_errors_travel_between_processes(self):
        error = fairlane.FairlaneError("must not be negative", "jobs[0]")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.path, type(again)), (str(error), error.path, type(error)))
        for pool in [ThreadPoolExecutor(2), ProcessPoolExecutor(2, mp_context=get_context("spawn"))]:
            with pool:
                hashes = list(pool.map(simulated, ["fifo", "fair", "uwfq-p"]))
                self.assertEqual(hashes, [simulated(policy) for policy in ["fifo", "fair", "uwfq-p"]])
                with self.assertRaisesRegex(fairlane.FairlaneError, "lottery"):
                    list(pool.map(simulated, ["fair", "lottery"]))

    def test_simulations_travel_between_processes(self):
        run = fairlane.simulate("catalog:two-users", "uwfq-p")
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual(again, run)
        for frame in ["tasks", "jobs", "users"]:
            pd.testing.assert_frame_equal(getattr(again, frame), getattr(run, frame))

    def test_nothing_is_loaded_before_a_data_frame(self):
        program = ("import sys, fairlane; run = fairlane.simulate('catalog:two-users', 'uwfq'); "
                   "assert run.hash and not {'numpy', 'pandas'} & set(sys.modules); assert len(run.tasks)")
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_other_threads_go_on_during_a_simulation(self):
        with ThreadPoolExecutor(1) as pool:
            simulation = pool.submit(fairlane.simulate, long(100), "uwfq")
            turns = 0
            while not simulation.done():
                time.sleep(0.001)
                turns += 1
        self.assertEqual(len(simulation.result().jobs), 100)
        self.assertGreater(turns, 10)

    def test_scenarios_are_what_one_has(self):
        expected = fairlane.simulate(SHORT, "fair").hash
        job = {"user": "ana", "arrival_s": np.int64(0), "stages": [{"tasks_s": np.array([1.0, 2.0])}]}
        frame = pd.DataFrame([job])
        text = json.dumps(SHORT)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "short.json")
            path.write_text(text)
            series = [{**job, "stages": [{"tasks_s": pd.Series([1, 2])}]}]
            for scenario in [{**SHORT, "jobs": (job,)}, {**SHORT, "jobs": frame}, {**SHORT, "jobs": series}, text,
                             text.encode(), path]:
                self.assertEqual(fairlane.simulate(scenario, "fair").hash, expected)
        with self.assertRaisesRegex(fairlane.FairlaneError, "finite"):
            fairlane.simulate({**SHORT, "jobs": [{**job, "arrival_s": float("nan")}]}, "fair")
        with self.assertRaisesRegex(TypeError, "a scenario is"):
            fairlane.simulate(7, "fair")

    def test_columns_have_the_same_types_whatever_is_in_them(self):
        self.assertEqual(list(fairlane.compare(SHORT, "uwfq").index), ["uwfq"])
        runs = [fairlane.simulate(scenario, policy) for scenario in [SHORT, "catalog:two-users"]
                for policy in ["fifo", "uwfq-p"]]
        for frame in ["tasks", "jobs", "users"]:
            types = [getattr(run, frame).dtypes.astype(str).drop("user", errors="ignore") for run in runs]
            for other in types[1:]:
                pd.testing.assert_series_equal(other, types[0])
            for run in runs:
                self.assertFalse([name for name in getattr(run, frame).columns if "." in name])
        self.assertEqual(runs[0], fairlane.simulate(SHORT, "fifo"))
        self.assertNotEqual(runs[0], runs[1])
        self.assertFalse(runs[0] == 7)

    def test_settings_of_a_sweep_are_numbers(self):
        for settings, words in [
            ({"seeds": [0.5]}, "a seed is a whole number from 0"), ({"seeds": -1}, "a seed is a whole number from 0"),
            ({"seeds": "1..20"}, "`seeds` is a number or several, not '1..20'"),
            ({"load": "80%"}, "`load` is a number or several"), ({"atr": ["x"]}, "`atr` is a number or several"),
        ]:
            with self.assertRaisesRegex(fairlane.FairlaneError, words):
                fairlane.sweep("catalog:skew", "fair", **settings)

    def test_points_without_figures_are_warned_of(self):
        def broken(stage):
            return float("nan") if stage.rank > 2 else stage.rank

        with self.assertWarnsRegex(UserWarning, "1 of 2 points could not be simulated"):
            rows = fairlane.sweep("catalog:two-users", ["fair", broken])
        self.assertEqual(rows["mean_response_s"].isna().tolist(), [False, True])

    def test_who_held_the_cores_while_a_job_waited(self):
        run = fairlane.simulate("catalog:two-users", "fifo")
        job = run.jobs.index[run.jobs["user"] == "ben"][0]
        held = run.holders(job)
        self.assertEqual(held.index[0], "ana")
        self.assertGreater(held["ana"], 0.8 * held.sum())
        with self.assertRaisesRegex(fairlane.FairlaneError, "there is no job 99"):
            run.holders(99)

    def test_a_sweep_is_that_of_the_command(self):
        generator = json.dumps({
            "format": "fairlane/generator@1", "duration_s": 20, "cluster": {"executors": 2, "cores_per_executor": 2},
            "groups": [{"prefix": "ana", "users": 2, "arrivals": {"poisson": {"per_minute": 12}},
                        "sizes": {"exponential": {"mean_s": 4}}}]})
        rows = fairlane.sweep(generator, ["fair", "uwfq"], seeds=range(1, 3), load=[0.5, 1])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "generator.json")
            file.write_text(generator)
            printed = subprocess.check_output([
                os.environ["FAIRLANE"], "sweep", file, "--policies", "fair,uwfq", "--seeds", "1,2", "--load", "0.5,1"])
        expected = [json.loads(line) for line in printed.splitlines()]
        for name in ["policy", "seed", "load", "trace_hash", "mean_response_s"]:
            self.assertEqual(rows[name].tolist(), [row[name] for row in expected], name)
        some = fairlane.sweep(generator, ["fair", "uwfq"], seeds=range(1, 3), load=[0.5, 1],
                              metrics=["mean_response_s", "utilization"])
        for name in ["policy", "mean_response_s", "utilization"]:
            self.assertEqual(some[name].tolist(), rows[name].tolist(), name)
        self.assertNotIn("makespan_s", some)
        with self.assertRaisesRegex(fairlane.FairlaneError, 'no metric "mean"; the metrics are trace_hash'):
            fairlane.sweep(generator, "fair", metrics="mean")
        seeded = fairlane.generate(generator, 2)
        second = rows.query("policy == 'fair' and seed == 2 and load == 1")
        self.assertEqual([fairlane.simulate(seeded, "fair").hash], second["trace_hash"].tolist())
        self.assertEqual(fairlane.generate("catalog:paf-suite", np.int64(3))["format"], "fairlane/scenario@1")

    def test_a_log_is_that_of_the_command(self):
        file = ROOT / "crates/fairlane-import/tests/data/spark/multi-fair.gz"
        log = fairlane.import_log(file)
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder, "scenario.json")
            report = native("import", str(file), "--scenario", str(scenario), "--format", "json")
            self.assertEqual(fairlane.simulate(log.scenario, "fair"), fairlane.simulate(scenario, "fair"))
        self.assertEqual(log.report["tasks"], report["tasks"])
        self.assertEqual(len(log.observed.jobs), len(log.scenario["jobs"]))
        with self.assertRaises(fairlane.FairlaneError):
            fairlane.import_log(ROOT / "README.md")

    def test_several_logs_are_one_scenario(self):
        folder = ROOT / "crates/fairlane-import/tests/data/spark"
        files = [folder / "weight-1-355.gz", folder / "weight-4-355.gz"]
        with tempfile.TemporaryDirectory() as made:
            for share in [False, True]:
                scenario = Path(made, "scenario.json")
                values = ["--share"] if share else []
                native("import", *map(str, files), *values, "--scenario", str(scenario), "--format", "json")
                log = fairlane.import_log(map(str, files), share=share)
                self.assertEqual(fairlane.simulate(log.scenario, "fair"), fairlane.simulate(scenario, "fair"))

    def test_a_simulation_can_be_interrupted(self):
        for work in [lambda: fairlane.simulate(long(4000), "uwfq"),
                     lambda: fairlane.sweep(long(20), "uwfq", load=np.linspace(0.1, 1, 1000))]:
            threading.Timer(1, _thread.interrupt_main).start()
            with self.assertRaises(KeyboardInterrupt):
                work()
        self.assertEqual(fairlane.simulate(SHORT, "fifo").figures["makespan_s"], 2)

    def test_one_document_has_the_scenario(self):
        mark = b'<title>Fairlane</title><script id="fairlane-session">'
        with tempfile.TemporaryDirectory() as folder:
            page, html = Path(folder, "fairlane.html"), Path(folder, "skew.html")
            page.write_bytes(mark + b"</script>\xff")
            fairlane.to_html("catalog:skew", ["fair", "uwfq-p"], html, page=page)
            document = html.read_bytes()
            self.assertIn(b'id="fairlane-session">catalog:skew&policies=fair,uwfq-p&sum=', document)
            self.assertTrue(document.endswith(b"</script>\xff"))
            page.write_bytes(b"another page")
            with self.assertRaisesRegex(fairlane.FairlaneError, "is not the page of this version"):
                fairlane.to_html("catalog:skew", "fair", html, page=page)

    def test_the_widget_shows_the_scenario_at_an_address_of_the_lab(self):
        widget = fairlane.show("catalog:skew", ["uwfq", "uwfq-p"], lab="https://lab.example/")
        self.assertRegex(
            widget.address,
            r"^https://lab\.example/\?embed&edit&show=[a-z,]+#catalog:skew&policies=uwfq,uwfq-p&sum=[0-9a-f]{8}$")
        self.assertEqual(widget.scenario, fairlane.scenario("skew"))
        # What the reader has changed is there again when the notebook's page is.
        before = widget.address
        widget.scenario = SHORT
        self.assertNotEqual(widget.address, before)
        self.assertTrue(widget.address.endswith("#" + _lab.address(SHORT, ["uwfq", "uwfq-p"]).split("#")[1]))
        self.assertRegex(_lab.address(SHORT, ["fair"]), r"#fairlane1:[-\w]+&origin=.*&policies=fair&sum=[0-9a-f]{8}$")

    def test_a_saved_notebook_has_a_picture(self):
        widget = fairlane.show("catalog:priority-inversion", ["ujf", "uwfq"])
        data, _ = widget._repr_mimebundle_()
        self.assertIn("application/vnd.jupyter.widget-view+json", data)
        picture = ElementTree.fromstring(data["image/svg+xml"])
        texts = {element.text for element in picture.iter()}
        self.assertLessEqual({"Priority inversion", "UJF", "UWFQ", "ana", "ben"}, texts)
        # The colour of the first user's tasks is the page's.
        hue = re.search(r"--user-1: light-dark\((#\w+)", (ROOT / "styles/fairlane.css").read_text())[1]
        self.assertIn(hue, {element.get("fill") for element in picture.iter()})

    def test_the_examples_run(self):
        self.assertEqual(doctest.testmod(fairlane).failed, 0)
        for page in ["python/README.md", "docs/python.md"]:
            pattern = r"^```python\n(.*?)^```(?:\n\nprints\n\n```text\n(.*?)^```)?"
            examples = re.findall(pattern, (ROOT / page).read_text(), re.M | re.S)
            self.assertTrue(examples, page)
            for example, prints in examples:
                with redirect_stdout(io.StringIO()) as printed:
                    exec(compile(example, page, "exec"), {})
                if prints:
                    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
                    self.assertEqual(lines, prints.splitlines(), page)
        names = {}
        for cell in json.loads((ROOT / "examples/notebook/waiting.ipynb").read_text())["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), "waiting.ipynb", "exec"), names)

    def test_the_page_names_everything(self):
        page = (ROOT / "docs/python.md").read_text()
        for name in set(fairlane.__all__) - {"Scenario", "__version__"}:
            self.assertRegex(page, rf"\b{name}\b")

    def test_the_version_is_that_of_the_package(self):
        self.assertEqual(fairlane.__version__, version("fairlane"))


if __name__ == "__main__":
    unittest.main()
