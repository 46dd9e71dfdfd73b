"""Policies of one's own in Python, and what a simulation shows of itself."""

import _thread
import pickle
import re
import tempfile
import threading
import traceback
import unittest
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

import fairlane
from fairlane import _native

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "crates/fairlane-custom/programs"
WORKLOADS = ["catalog:two-users", "catalog:heavy-first", "catalog:skew", "catalog:priority-inversion"]


class Levels:
    """Multi-level feedback, with a state that every handler changes."""

    def __init__(self):
        self.seen = []
        self.ended = 0

    def on_arrival(self, job):
        job.note = {"arrived": self.cluster.now}
        self.seen.append(job)

    def on_job_end(self, job):
        self.ended += 1
        assert job.note["arrived"] == job.arrival
        self.seen.remove(job)

    def key(self, stage):
        level, limit = 0, 1.0
        while level < 8 and stage.job.attained >= limit:
            level, limit = level + 1, limit * 4
        return {"level": level, "running": stage.job.running}


LEVELS = """
let level = 0;
let limit = 1.0;
while level < 8 && job.attained >= limit { level += 1; limit *= 4.0; }
#{ level: level, running: job.running }
"""


class Gate:
    """Lets one job of each user into the cluster at a time, and drops what has waited for an hour."""

    period = 3600.0

    def __init__(self):
        self.inside, self.waiting = set(), []

    def on_arrival(self, job):
        if job.user.name in self.inside:
            self.waiting.append(job)
            return "wait"
        self.inside.add(job.user.name)
        return "start"

    def on_job_end(self, job):
        self.inside.discard(job.user.name)
        for other in self.waiting:
            if other.user == job.user:
                self.waiting.remove(other)
                self.inside.add(other.user.name)
                self.cluster.start(other)
                break

    def on_tick(self):
        for job in self.waiting:
            if job.arrival <= self.cluster.now - 3600:
                self.cluster.drop(job)

    def key(self, stage):
        return stage.rank

    def cap(self, job):
        return np.float64(job.parallelism)


def schedule(scenario, policy):
    """The tasks alone: a fingerprint also has the policy's name."""
    return fairlane.simulate(scenario, policy).tasks


class Policies(unittest.TestCase):
    def test_functions_are_the_programs_that_say_the_same(self):
        pairs = [
            (lambda stage: stage.running / stage.weight, "running / weight"),
            (lambda stage: stage.job.estimate, "job.estimate"),
            (lambda stage: (stage.user.running / stage.user.weight, stage.running),
             "[user.running / user.weight, running]"),
            (lambda stage: {"late": stage.waited > 2, "name": stage.user.name, "left": -stage.pending},
             "#{ late: waited > 2, name: stage.user.name, left: -pending }"),
            (Levels(), LEVELS), (Levels, LEVELS),
        ]
        for workload in WORKLOADS:
            for own, program in pairs:
                expected = schedule(workload, {"program": program})
                self.assertTrue(schedule(workload, own).equals(expected), (workload, program))

    def test_names_are_those_of_programs(self):
        page = (ROOT / "docs/custom.md").read_text()
        documented = re.findall(r"^\| `((?:job|user)\.)?(\w+)` \| [^|]* \| ", page, re.M)
        cluster = {"now", "cores", "free_cores"}
        kinds = {"": _native.Stage, "job.": _native.Job, "user.": _native.User}
        self.assertGreater(len(documented), 30)
        for subject, name in documented:
            kind = _native.Cluster if not subject and name in cluster else kinds[subject]
            self.assertTrue(hasattr(kind, name), subject + name)
        stubs = (Path(fairlane.__file__).parent / "_native.pyi").read_text()
        for kind in [_native.Stage, _native.Job, _native.User, _native.Cluster]:
            body = re.search(rf"class {kind.__name__}:\n(.*?)\n(?=\S|\Z)", stubs, re.S)[1]
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertRegex(body, rf"\b{name}\b")

    def test_handlers_admit_wake_and_drop(self):
        run = fairlane.simulate("catalog:heavy-first", Gate())
        for _, tasks in run.tasks.groupby("user", observed=True):
            spans = tasks.groupby("job").agg(start=("start_s", "min"), end=("end_s", "max")).sort_values("start")
            self.assertTrue((spans["end"].to_numpy()[:-1] <= spans["start"].to_numpy()[1:]).all())

        class Dropper:
            def on_start(self):
                self.cluster.wake(1.5, 7)

            def on_arrival(self, job):
                self.first = getattr(self, "first", job)

            def on_wake(self, token):
                assert token == 7 and self.cluster.now == 1.5
                self.cluster.drop(self.first)

            def key(self, stage):
                return stage.rank

        outcomes = fairlane.simulate("catalog:heavy-first", Dropper()).jobs["outcome"]
        self.assertEqual((outcomes == "dropped").sum(), 1)

    def test_an_object_is_copied(self):
        own = Levels()
        first, second = (fairlane.simulate("catalog:two-users", own) for _ in range(2))
        self.assertEqual((first.hash, own.ended), (second.hash, 0))
        self.assertEqual(first.figures["policy"], "custom:Levels")
        rows = fairlane.compare("catalog:two-users", ["fair", own, {"program": own, "policy": "custom:mine-p"}])
        self.assertEqual(list(rows.index), ["fair", "custom:Levels", "custom:mine-p"])
        with self.assertRaisesRegex(fairlane.FairlaneError, "two programs are called custom:Levels"):
            fairlane.compare("catalog:two-users", [own, own])

    def test_random_numbers_follow_from_the_seed(self):
        class Lottery:
            def on_submission(self, stage):
                stage.note = self.cluster.random()

            def key(self, stage):
                return stage.note

        draws = "fn on_submission(stage) { stage.note = random(); } fn key(stage) { stage.note }"
        for seed in [0, 1, 2]:
            own = schedule("catalog:two-users", {"program": Lottery(), "seed": seed})
            self.assertTrue(own.equals(schedule("catalog:two-users", {"program": draws, "seed": seed})), seed)

    def test_what_depends_on_something_else_is_found(self):
        fairlane.simulate("catalog:two-users", Levels(), twice=True)
        calls = []

        def count(stage):
            calls.append(stage)
            return -stage.rank if len(calls) > 500 else stage.rank

        calls.clear()
        with self.assertRaisesRegex(fairlane.FairlaneError, "custom:count is not deterministic: from .* s on"):
            for _ in range(50):
                fairlane.simulate("catalog:two-users", count, twice=True)

    def test_wrong_answers_are_errors(self):
        cases = [
            (lambda stage: None, "`key` has no value"),
            (lambda stage: float("nan"), "NaN"),
            (lambda stage: {"mine": object()}, "`mine` is a object"),
            (lambda stage: (1, 2, 3, 4, 5), "1 to 4 parts, this one has 5"),
            (type("Own", (), {"key": lambda self, stage: 1, "on_arrivals": print})(), "no event `on_arrivals`; there"),
            (type("Own", (), {"key": lambda self, stage: 1, "on_tick": print})(), "`period = 1.0` in seconds"),
            (type("Own", (), {"key": lambda self, stage: 1, "keys": "often"})(), '`keys` is "each round"'),
            (type("Own", (), {"key": lambda self, stage: 1, "cap": lambda self, job: "all"})(),
             "a number of cores, not"),
            (type("Own", (), {"key": lambda self, stage: 1, "on_arrival": lambda self, job: "no"})(), 'not "no"'),
            (type("Own", (), {"key": lambda self, stage: 1,
                              "on_launch": lambda self, stage: self.cluster.drop(stage.job)})(), "work in on_start"),
        ]
        for own, message in cases:
            with self.assertRaises(fairlane.FairlaneError) as caught:
                fairlane.simulate("catalog:two-users", own)
            self.assertIn(message, str(caught.exception))
        for wrong, message in [({"name": "x"}, "not 'name'"), ({"policy": "fifo"}, "fifo is no program's name")]:
            with self.assertRaisesRegex(fairlane.FairlaneError, message):
                fairlane.simulate("catalog:two-users", {"program": lambda stage: 1, **wrong})
        for nothing in [7, {"program": 7}]:
            with self.assertRaisesRegex(TypeError, "a function of a stage"):
                fairlane.simulate("catalog:two-users", nothing)

    def test_a_wrong_answer_names_the_function_and_of_what(self):
        def having(**functions):
            return type("Own", (), {"key": lambda self, stage: 1, **functions})()

        key, cap, arrival = (rf'{what} job \d+ \(".+" of ".+"\)' for what in [
            r"custom:Own failed at [\d.]+ s: .*`key` of stage \d+ of", "`cap` of", "`on_arrival` of"])
        wrong = {
            key: [10**400, -10**400, [1, 10**400], {"left": 10**400}, float("nan"), np.float32("nan"), None, 1j,
                  b"1", {1, 2}, [1, [2]], (1, None), [], np.array([1, 2]), object()],
            cap: [10**400, float("nan"), None, "2", [1], np.array([1, 2]), np.float64("nan")],
            arrival: [10**400, 1, True, "no", "x" * 10**5, ["wait"]],
        }
        names = {key: "key", cap: "cap", arrival: "on_arrival"}
        for place, answers in wrong.items():
            for answer in answers:
                own = having(**{names[place]: lambda self, of, answer=answer: answer})
                with self.assertRaisesRegex(fairlane.FairlaneError, place) as caught:
                    fairlane.simulate("catalog:two-users", own)
                self.assertLess(len(str(caught.exception)), 300)
        for answer in [10**300, 2**63, float("inf"), "x", True, np.bool_(True), np.int64(3), np.uint64(2**63),
                       np.float32(1.5), np.array(1.0), np.str_("x"), [True, "x", 1, 0.5]]:
            fairlane.simulate("catalog:two-users", lambda stage: answer)
        # Later keys are compared with the first.
        for odd in [(1,), (1, "a", 2), ("a", 1)]:
            with self.assertRaisesRegex(fairlane.FairlaneError, "one before was a number and a text; .* same parts"):
                fairlane.simulate("catalog:two-users", lambda stage: odd if stage.rank else (stage.rank, "a"))
        fairlane.simulate("catalog:two-users", lambda stage: 0 if stage.rank else 0.5)

        for at, token in [(10**400, 0), ("soon", 0), (None, 0), (-1, 0), (float("nan"), 0), (1, -1), (1, 2**32),
                          (1, 0.5)]:
            own = having(on_start=lambda self: self.cluster.wake(at, token))
            with self.assertRaisesRegex(fairlane.FairlaneError, "`wake` takes an instant in seconds"):
                fairlane.simulate("catalog:two-users", own)
        for program in [lambda stage: 1, "running"]:
            for seed in [-1, 2**32, 10**5000, 0.5, "x"]:
                with self.assertRaisesRegex(fairlane.FairlaneError, "a seed is a whole number from 0 to 4294967295"):
                    fairlane.simulate("catalog:two-users", {"program": program, "seed": seed})
        with self.assertRaisesRegex(fairlane.FairlaneError, 'a text such as "custom:mine", not 3'):
            fairlane.simulate("catalog:two-users", {"program": having(), "policy": 3})
        run = fairlane.simulate("catalog:two-users", "fair")
        for wrong in [lambda: run.why(-1), lambda: run.why("x"), lambda: run.svg(-1), lambda: run.svg(10**5000),
                      lambda: fairlane.generate("catalog:paf-suite", -1)]:
            with self.assertRaisesRegex(fairlane.FairlaneError, "is a whole number from 0 to"):
                wrong()

    def test_counts_and_positions_are_whole_numbers(self):
        own = {"program": lambda stage: {"mine": stage.rank, "late": stage.waited > 2, "at": stage.waited,
                                         "of": stage.user.name}}
        run = fairlane.simulate("catalog:two-users", own)
        kinds = {name: kind.kind for name, kind in run.why(5).stages.dtypes.items()}
        self.assertEqual({name: kinds[name] for name in ["mine", "late", "at", "rank of arrival", "stage id", "job"]},
                         {"mine": "i", "late": "i", "at": "f", "rank of arrival": "i", "stage id": "i", "job": "i"})
        for policy in fairlane.policies().index:
            stages = fairlane.simulate("catalog:two-users", policy).why(3).stages
            for name in stages:
                if re.fullmatch(r"rank of arrival|stage id|position.*|running tasks of the \w+|jobs.*", name):
                    self.assertEqual(stages[name].dtype.kind, "i", (policy, name))
        counts = ["furthest_behind_job", *(f"against_{ideal}_{count}" for ideal in ["ujf", "fluid"]
                                           for count in ["violations", "slacks", "unrated"])]
        compared = fairlane.compare("catalog:two-users", ["fair", "uwfq"])
        swept = fairlane.sweep("catalog:two-users", ["fair", "uwfq"], load=[0.5, 1])
        for rows, names in [(compared, counts), (swept, counts), (run.users, counts[1:])]:
            self.assertEqual({str(rows[name].dtype) for name in names}, {"Int64"})
        json_counts = [name for name, value in fairlane.simulate("catalog:two-users", "fair").figures.items()
                       if type(value) is int]
        for name in json_counts:
            if name in compared:
                self.assertIn(str(compared[name].dtype), ["int64", "Int64"], name)

    def test_an_exception_keeps_its_traceback(self):
        def divided(stage):
            return 1 / (stage.rank - 1)

        class Noted:
            def key(self, stage):
                stage.note = 3

        for own, kind, line in [(divided, ZeroDivisionError, "stage.rank - 1"), (Noted(), RuntimeError, "stage.note")]:
            try:
                fairlane.simulate("catalog:two-users", own)
                self.fail("nothing was raised")
            except kind as error:
                self.assertIn(line, traceback.extract_tb(error.__traceback__)[-1].line)
        with self.assertRaises(KeyboardInterrupt):
            def interrupted(stage):
                raise KeyboardInterrupt
            fairlane.simulate("catalog:two-users", interrupted)
        # Nothing of it is left.
        fairlane.simulate("catalog:two-users", lambda stage: stage.rank)

    def test_what_an_earlier_call_got_is_not_read_as_if_it_were_now(self):
        class Hungry:
            """Reads a number of a job that it has kept."""

            def __init__(self, name):
                self.name, self.oldest = name, None

            def on_arrival(self, job):
                self.oldest = self.oldest or job

            def key(self, stage):
                return getattr(self.oldest, self.name) if stage.rank else 0

        for name in ["waited", "running", "pending", "attained", "unsubmitted"]:
            with self.assertRaisesRegex(RuntimeError, f"this job is of an earlier call, and its `{name}`"):
                fairlane.simulate("catalog:two-users", Hungry(name))
        for name in ["arrival", "estimate", "rank", "weight"]:
            fairlane.simulate("catalog:two-users", Hungry(name))

    def test_what_is_no_policy_is_told_so(self):
        for policy, words in [
            ({"program": lambda stage: 0, "policy": "mine"}, 'begins with "custom", such as "custom:mine"'),
            ({"code": lambda stage: 0}, "has a `program`; this one has 'code'"),
            ("fair,uwfq", r"give several as a list: \['fair', 'uwfq'\]"),
        ]:
            with self.assertRaisesRegex(fairlane.FairlaneError, words):
                fairlane.compare("catalog:two-users", policy)

    def test_a_class_without_a_key_is_told_so(self):
        class Keyless:
            def ky(self, stage):
                return 0

        with self.assertRaisesRegex(TypeError, "the class Keyless has no method `key"):
            fairlane.simulate("catalog:two-users", Keyless)

    def test_a_simulation_of_it_is_interrupted_and_runs_in_threads(self):
        jobs = [{"user": f"user {job % 40}", "arrival_s": 0, "stages": [{"work_s": 1000, "partitions": 1000}]}
                for job in range(1000)]
        threading.Timer(1, _thread.interrupt_main).start()
        with self.assertRaises(KeyboardInterrupt):
            fairlane.simulate({"format": "fairlane/scenario@1", "jobs": jobs}, lambda stage: stage.running)
        with ThreadPoolExecutor(4) as pool:
            runs = pool.map(lambda _: fairlane.simulate("catalog:heavy-first", Levels()), range(8))
            self.assertEqual({run.hash for run in runs}, {fairlane.simulate("catalog:heavy-first", Levels).hash})

    def test_a_policy_may_simulate(self):
        def dreaming(stage):
            inner = fairlane.simulate("catalog:two-users", lambda inner: -inner.rank)
            return stage.rank + inner.figures["makespan_s"]

        small = {"format": "fairlane/scenario@1", "jobs": [
            {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 2]}]}]}
        self.assertEqual(fairlane.simulate(small, dreaming).figures["makespan_s"], 2)

    def test_a_key_is_asked_for_only_when_what_it_reads_has_changed(self):
        calls = [0]

        def counted(stage):
            calls[0] += 1
            return stage.running / stage.weight

        jobs = [{"user": f"user {job % 10}", "arrival_s": 0, "stages": [{"work_s": 100, "partitions": 100}]}
                for job in range(100)]
        many = {"format": "fairlane/scenario@1", "cluster": {"executors": 4, "cores_per_executor": 4}, "jobs": jobs}
        fairlane.simulate(many, counted)
        # 10 000 tasks are launched and end, also of each job alone; of 100 stages at each would be two million.
        self.assertLess(calls[0], 60_000)

        def of_users(stage):
            calls[0] += 1
            return stage.user.running / stage.user.weight, stage.job.running

        calls[0] = 0
        fairlane.simulate(many, of_users)
        # All ten stages of a user change with each of its tasks, between few numbers.
        self.assertLess(calls[0], 20_000)

    def test_a_sweep_is_its_simulations(self):
        workload = {
            "format": "fairlane/generator@1", "duration_s": 20, "cluster": {"executors": 2, "cores_per_executor": 2},
            "groups": [{"prefix": "ana", "users": 2, "arrivals": {"poisson": {"per_minute": 12}},
                        "sizes": {"exponential": {"mean_s": 4}}}]}
        own, line = Levels(), {"program": "running / weight", "policy": "custom:line"}
        policies = ["fair", own, line, {"program": LEVELS, "policy": "custom:program"}]
        rows = fairlane.sweep(workload, policies, seeds=[1, 2], load=[0.5, 1])
        self.assertEqual(list(rows["policy"][:4]), ["fair", "custom:Levels", "custom:line", "custom:program"])
        self.assertEqual(own.ended, 0)
        for number, row in rows.query("load == 1").iterrows():
            scenario = fairlane.generate(workload, int(row["seed"]))
            run = fairlane.simulate(scenario, policies[number % 4])
            self.assertEqual((run.hash, run.figures["mean_response_s"]), (row["trace_hash"], row["mean_response_s"]))
        pd.testing.assert_frame_equal(rows, fairlane.sweep(workload, policies, seeds=[1, 2], load=[0.5, 1]))
        alone = fairlane.sweep(workload, "fair", seeds=[1, 2], load=[0.5, 1], metrics=["mean_response_s"])
        self.assertEqual(set(alone["fingerprint"]), set(rows["fingerprint"]))
        some = fairlane.sweep(workload, [own, Gate], seeds=[1, 2], metrics="mean_response_s")
        self.assertEqual(some.query("policy == 'custom:Levels'")["mean_response_s"].tolist(),
                         rows.query("policy == 'custom:Levels' and load == 1")["mean_response_s"].tolist())

        wrong = fairlane.sweep(workload, ["fair", lambda stage: None], seeds=[1, 2])
        self.assertEqual(wrong["error_message"].isna().tolist(), [True, False] * 2)
        self.assertIn("`key` has no value", wrong["error_message"][1])
        with self.assertRaises(ZeroDivisionError):
            fairlane.sweep(workload, ["fair", lambda stage: 1 / 0], seeds=[1, 2])
        with self.assertRaisesRegex(fairlane.FairlaneError, "two programs are called custom:Levels"):
            fairlane.sweep(workload, [own, own])
        with self.assertRaisesRegex(TypeError, "a function of a stage"):
            fairlane.sweep(workload, [7])

    def test_why_names_the_parts_of_a_key(self):
        run = fairlane.simulate(
            "catalog:two-users", lambda stage: {"of the user": stage.user.running, "rank": stage.rank})
        waited = [why for why in map(run.why, range(len(run.tasks))) if len(why.stages) > 1]
        self.assertTrue(waited)
        self.assertLessEqual({"of the user", "rank", "pending", "job"}, set(waited[0].stages.columns))
        self.assertTrue(any("of the user" in why.reason for why in waited))
        self.assertIn("running", fairlane.simulate("catalog:two-users", "fair").why(0).stages)
        with self.assertRaisesRegex(fairlane.FairlaneError, "no decision launched task"):
            run.why(10**6)
        observed = fairlane.import_log(ROOT / "crates/fairlane-import/tests/data/spark/multi-fair.gz").observed
        with self.assertRaisesRegex(fairlane.FairlaneError, "nobody can be asked"):
            observed.why(0)


class Pictures(unittest.TestCase):
    def test_a_simulation_shows_itself(self):
        run = fairlane.simulate("catalog:two-users", "uwfq")
        small, large = (ElementTree.fromstring(run.svg(width)) for width in (400, 1200))
        self.assertLess(float(small.get("width")), float(large.get("width")))
        self.assertIn("UWFQ", {element.text for element in small.iter()})
        self.assertEqual(run._repr_html_(), run.svg())

    def test_another_process_has_no_picture(self):
        run = fairlane.simulate("catalog:two-users", lambda stage: stage.rank)
        copy = pickle.loads(pickle.dumps(run))
        self.assertEqual(copy, run)
        for ask, message in [(copy.svg, "stayed with the process"), (lambda: copy.why(0), "nobody can be asked")]:
            with self.assertRaisesRegex(fairlane.FairlaneError, message):
                ask()

    def test_a_page_needs_nothing_else(self):
        run = fairlane.simulate("catalog:two-users", lambda stage: stage.rank)
        seen = []

        class Links(HTMLParser):
            def handle_starttag(self, tag, attributes):
                seen.extend([tag] + [value for name, value in attributes if name in ("src", "href")])

        text = run.to_html()
        Links().feed(text)
        self.assertFalse({"script", "link", "img"} & set(seen))
        self.assertFalse([one for one in seen if one and "//" in one])
        for needed in ["<svg", "mean_response_s", *run.users.index]:
            self.assertIn(needed, text)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(run.to_html(Path(folder, "run.html")))
            self.assertEqual(Path(folder, "run.html").read_text(encoding="utf-8"), text)


if __name__ == "__main__":
    unittest.main()
