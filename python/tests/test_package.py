"""The installed package. FAIRLANE is the native command, which must give the same results."""

import doctest
import json
import os
import re
import subprocess
import unittest
from importlib.metadata import version
from pathlib import Path

import fairlane
from fairlane import _lab

ROOT = Path(__file__).parents[2]
SHORT = {
    "format": "fairlane/scenario@1",
    "jobs": [{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 2]}]}],
}


def native(*values: str):
    return json.loads(subprocess.check_output([os.environ["FAIRLANE"], *values]))


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
        with self.assertRaisesRegex(fairlane.FairlaneError, "no such scenario in the catalog"):
            fairlane.scenario("nothing")

    def test_a_simulation_can_be_interrupted(self):
        long = {**SHORT, "jobs": [
            {"user": f"user {job % 40}", "arrival_s": 0, "stages": [{"work_s": 1000, "partitions": 1000}]}
            for job in range(4000)
        ]}
        import _thread
        import threading

        threading.Timer(1, _thread.interrupt_main).start()
        with self.assertRaises(KeyboardInterrupt):
            fairlane.simulate(long, "uwfq")
        self.assertEqual(fairlane.simulate(SHORT, "fifo").figures["makespan_s"], 2)

    def test_the_widget_shows_the_scenario_at_an_address_of_the_lab(self):
        widget = fairlane.show("catalog:skew", ["uwfq", "uwfq-p"], lab="https://lab.example/")
        self.assertRegex(widget.address, r"^https://lab\.example/#catalog:skew&policies=uwfq,uwfq-p&sum=[0-9a-f]{8}$")
        self.assertRegex(_lab.address(SHORT, ["fair"]), r"#fairlane1:[-\w]+&origin=.*&policies=fair&sum=[0-9a-f]{8}$")

    def test_the_examples_run(self):
        self.assertEqual(doctest.testmod(fairlane).failed, 0)
        for page in ["python/README.md", "docs/python.md"]:
            examples = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
            self.assertTrue(examples, page)
            for example in examples:
                exec(compile(example, page, "exec"), {})

    def test_the_version_is_that_of_the_package(self):
        self.assertEqual(fairlane.__version__, version("fairlane"))


if __name__ == "__main__":
    unittest.main()
