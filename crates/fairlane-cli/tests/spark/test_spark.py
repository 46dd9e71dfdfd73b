"""The command with real Spark. FAIRLANE is the native command; PySpark must be importable, and Java on the path.

Orders are compared where the simulation has a clear one. Of replays the median error of response times is held, whatever
a busy machine does to a few jobs.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import pyspark

ROOT = Path(__file__).parents[4]
FAIRLANE = os.environ["FAIRLANE"]
ENVIRONMENT = {
    **os.environ,
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
    # As `fairlane` in the documentation.
    "PATH": f"{Path(FAIRLANE).parent}{os.pathsep}{os.environ['PATH']}",
}
# A job of Spark ends in one stage; this one ends in two. The name is difficult for a file of pools.
FORK = {"user": 'cho "<&>"', "name": "fork", "arrival_s": 1, "stages": [
    {"tasks_s": [0.2, 0.3]}, {"tasks_s": [0.2], "parents": [0]}, {"tasks_s": [0.3, 0.3], "parents": [0]},
]}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


# Until 1.5 s four tasks of ana's hold all cores. All other jobs arrive meanwhile, ana's six first, with time to spare on a
# busy machine. Under FIFO ana's jobs go before those of ben and cho, with a pool for each user they do not.
CROWD = {
    "format": "fairlane/scenario@1",
    # Spark breaks ties by stage ids as text; those of the warm-up are 0 to 3.
    "cluster": {"cores_per_executor": 4, "fair_tie_break": "spark", "first_stage_id": 4},
    "jobs": [{"user": "ana", "name": "first", "arrival_s": 0, "stages": [{"tasks_s": [1.5] * 4}]}] + [
        {"user": name[0], "name": name, "arrival_s": 0.3 + index / 100, "stages": [{"tasks_s": [0.4] * 4}]}
        for index, name in enumerate(["a1", "a2", "a3", "a4", "a5", "a6", "ben", "cho"])
    ],
}


def crowd_in(pool):
    """Jobs of three users in pools, most of which wait for cores."""
    return {
        "format": "fairlane/scenario@1",
        "cluster": {"cores_per_executor": 4, "fair_tie_break": "spark", "first_stage_id": 4},
        "jobs": [
            {"user": ["ana", "ben", "cho"][index % 3], "name": f"job {index}", "pool": pool(index),
             "arrival_s": 0.45 * index, "stages": [{"tasks_s": [0.8 + 0.05 * (index % 4)] * 4}]}
            for index in range(9)
        ],
    }


def sooner(name, factor, *more):
    """A scenario of the catalog with all its times divided by a factor, and more jobs."""
    scenario = json.loads(run(FAIRLANE, "catalog", name))
    for job in scenario["jobs"]:
        job["arrival_s"] /= factor
        for stage in job["stages"]:
            stage["work_s"] /= factor
    scenario["jobs"] += more
    return scenario


def shape(jobs):
    """Of each job by name: its user, and of each stage its number of tasks and those of its parents, in any order."""

    def stage(stages, index):
        tasks = lambda stage: len(stage["tasks_s"]) if "tasks_s" in stage else stage["partitions"]
        one = stages[index]
        before = [index - 1] if index else []
        return tasks(one), sorted(tasks(stages[parent]) for parent in one.get("parents", before))

    return {
        job["name"]: (job["user"], sorted(stage(job["stages"], index) for index in range(len(job["stages"]))))
        for job in jobs
    }


def first_launches(scenario, trace):
    """When the first task of each job was launched, in seconds, by the job's name."""
    first = {}
    for task in trace["tasks"]:
        name = scenario["jobs"][task[0]]["name"]
        first[name] = min(first.get(name, float("inf")), task[4] / 1e6)
    return first


@contextmanager
def history_server(logs):
    """A History Server of Spark's own for a folder of logs, once it lists an application: its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"fs.logDirectory": logs.as_uri(), "fs.update.interval": "1s", "ui.port": port}
    options = " ".join(f"-Dspark.history.{name}={value}" for name, value in settings.items())
    home = Path(pyspark.__file__).parent
    server = subprocess.Popen(
        [str(home / "bin" / "spark-class"), "org.apache.spark.deploy.history.HistoryServer"],
        env={**ENVIRONMENT, "SPARK_HOME": str(home), "SPARK_HISTORY_OPTS": options},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        address, ask = f"http://127.0.0.1:{port}", build_opener(ProxyHandler({})).open
        for _ in range(120):
            try:
                if json.load(ask(f"{address}/api/v1/applications")):
                    break
            except (URLError, ConnectionError):
                pass
            time.sleep(1)
        yield address
    finally:
        server.terminate()
        server.wait()


class Spark(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def record(self, scenario, policy, master):
        """Plays a scenario on real Spark: the folder of the program, and the report of the export."""
        path = self.folder / "scenario.json"
        path.write_text(json.dumps(scenario))
        played = self.folder / "played"
        exported = json.loads(run(
            FAIRLANE, "spark-export", str(path), "--policy", policy, "-o", str(played), "--format", "json"
        ))
        run(sys.executable, str(played / "play.py"), "--master", master)
        return played, exported

    def replayed(self, scenario, master, *options):
        """Plays a scenario under Spark's own scheduler and imports the event log: the report."""
        played, _ = self.record(scenario, "spark", master)
        [log] = (played / "events").iterdir()
        report = json.loads(run(
            FAIRLANE, "import", str(log), "--scenario", str(self.folder / "imported.json"), "--format", "json",
            *(option.replace("PLAYED", str(played)) for option in options)
        ))
        self.assertIsNone(report["observed"]["fault"])
        return report

    def assert_near(self, report):
        """The simulation is near. On a busy machine a near tie may go the other way, so the median is held."""
        self.assertLess(report["replay"]["median_error"], 0.1, report["replay"])

    def play(self, scenario, policy):
        """Plays a scenario on real Spark and imports the event log: the scenario, the trace and the report."""
        cores = scenario.get("cluster", {}).get("cores_per_executor", 4)
        played, exported = self.record(scenario, policy, f"local[{cores}]")
        [log] = (played / "events").glob("local-*")
        imported, observed = self.folder / "imported.json", self.folder / "observed.json"
        report = json.loads(run(
            FAIRLANE, "import", str(log), "--scenario", str(imported), "--observed", str(observed), "--format", "json"
        ))
        self.assertEqual(report["tasks"]["imported"], exported["tasks"])
        left_out = {"of the warm-up of a scenario that Fairlane exported": report["tasks"]["in_log"] - exported["tasks"]}
        self.assertEqual(report["tasks"]["left_out"], left_out)
        self.assertEqual(report["cluster"]["scheduler_mode"], "FIFO" if policy == "fifo" else "FAIR")
        self.assertEqual(report["cluster"]["cores_per_executor"], cores)
        self.assertEqual(report["users"]["source"], "property user.name")
        self.assertIsNone(report["observed"]["fault"])
        return json.loads(imported.read_text()), json.loads(observed.read_text()), exported

    def simulated(self, policy):
        path, trace = self.folder / "scenario.json", self.folder / "trace.json"
        run(FAIRLANE, "simulate", str(path), "--policy", policy, "--trace", str(trace))
        return first_launches(CROWD, json.loads(trace.read_text()))

    def assert_same_order(self, expected, actual):
        """Jobs whose first tasks are launched clearly one after the other in the simulation are so in reality."""
        pairs = [pair for pair in combinations(expected, 2) if abs(expected[pair[0]] - expected[pair[1]]) > 0.25]
        self.assertGreater(len(pairs), 20)
        kept = [(expected[a] < expected[b]) == (actual[a] < actual[b]) for a, b in pairs]
        self.assertGreaterEqual(sum(kept) / len(kept), 0.95, f"simulated {expected}, real {actual}")

    def assert_played_as_simulated(self, policy):
        """Returns the jobs in the order of their first launches."""
        imported, observed, _ = self.play(CROWD, policy)
        self.assertEqual(shape(imported["jobs"]), shape(CROWD["jobs"]))
        launches = first_launches(imported, observed)
        self.assert_same_order(self.simulated(policy), launches)
        return sorted(launches, key=launches.get)

    def test_fifo_is_played_as_simulated(self):
        order = self.assert_played_as_simulated("fifo")
        self.assertEqual(order[-2:], ["ben", "cho"])

    def test_a_pool_for_each_user_is_played_as_simulated(self):
        order = self.assert_played_as_simulated("ujf")
        self.assertLess(max(order.index("ben"), order.index("cho")), 5)

    def test_stages_wait_for_all_their_parents(self):
        scenario = sooner("branches", 4, FORK)
        imported, observed, exported = self.play(scenario, "ujf")
        self.assertEqual(exported["stages_added"], 1)
        expected = json.loads(json.dumps(scenario["jobs"]))
        expected[-1]["stages"].append({"tasks_s": [0], "parents": [1, 2]})
        self.assertEqual(shape(imported["jobs"]), shape(expected))
        self.assertEqual(len(observed["jobs"]), len(scenario["jobs"]))

    def test_pools_with_weights_and_minimum_shares_are_replayed(self):
        pools = [
            {"name": "adhoc", "mode": "FAIR"},
            {"name": "etl", "mode": "FAIR", "weight": 3, "min_share": 2},
        ]
        scenario = {**crowd_in(lambda index: ["adhoc", "etl"][index % 2]), "policies": {"spark": {"pools": pools}}}
        report = self.replayed(scenario, "local[4]", "--pools", "PLAYED/pools.xml")
        self.assert_near(report)
        self.assertEqual({pool["name"]: pool["source"] for pool in report["cluster"]["pools"]},
                         {"adhoc": "declared", "etl": "declared"})

    def test_undeclared_pools_and_sessions_are_replayed(self):
        scenario = crowd_in(lambda index: "abc"[index % 3])
        # The second job of each user waits for the answer to the first.
        for index in range(3, 6):
            scenario["jobs"][index]["after"] = {"job": index - 3, "think_s": 0.2}
        report = self.replayed(scenario, "local[4]")
        self.assert_near(report)
        self.assertEqual({pool["source"] for pool in report["cluster"]["pools"]}, {"assumed"})

    def test_executors_of_dynamic_allocation_are_read(self):
        """Real executors of one core. Those of the warm-up take no more tasks when the jobs arrive, though they are
        announced as removed later only."""
        scenario = {
            "format": "fairlane/scenario@1",
            "cluster": {"executors": 3, "cores_per_executor": 1,
                        "dynamic_allocation": {"min": 1, "idle_s": 5}},
            "policies": {"spark": {"mode": "FIFO"}},
            "jobs": [
                {"user": user, "name": user, "arrival_s": 7 + index, "stages": [{"tasks_s": [1.2] * 12}]}
                for index, user in enumerate(["ana", "ben"])
            ],
        }
        report = self.replayed(scenario, "local-cluster[3,1,1024]")
        self.assert_near(report)
        self.assertGreaterEqual(len(report["cluster"]["executors_at"]), 1)
        self.assertGreater(report["cluster"]["allocation"]["start_s"], 0.5)

    def test_the_logs_of_a_history_server_are_listed_and_fetched(self):
        played, _ = self.record(CROWD, "fifo", "local[4]")
        [log] = (played / "events").glob("local-*")
        files = {name: str(self.folder / f"{name}.json") for name in ["file", "latest", "chosen"]}
        run(FAIRLANE, "import", str(log), "--scenario", files["file"])
        with history_server(played / "events") as address:
            self.assertIn(log.name, run(FAIRLANE, "open", address))
            run(FAIRLANE, "import", address, "--latest", "1", "--scenario", files["latest"])
            run(FAIRLANE, "import", f"{address}/history/{log.name}/jobs/", "--scenario", files["chosen"])
        scenarios = [json.loads(Path(path).read_text()) for path in files.values()]
        self.assertEqual(scenarios[0], scenarios[1])
        self.assertEqual(scenarios[0], scenarios[2])

    def test_a_sweep_on_spark_has_the_bytes_of_the_sweep(self):
        """The program of docs/sweeps.md as it is printed there."""
        text = (ROOT / "docs/sweeps.md").read_text(encoding="utf-8")
        [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        (self.folder / "program.py").write_text(program)
        workload = run(FAIRLANE, "generate", "--seed", "7", "--jobs", "5")
        (self.folder / "workload.json").write_text(workload)
        [grid] = re.findall(r"grid = (\[.*\])", program)
        run(sys.executable, "program.py", cwd=self.folder)
        expected = run(FAIRLANE, "sweep", *json.loads(grid), cwd=self.folder)
        self.assertEqual((self.folder / "spark.jsonl").read_text(), expected)
        self.assertEqual(len(expected.splitlines()), 8)


if __name__ == "__main__":
    unittest.main()
