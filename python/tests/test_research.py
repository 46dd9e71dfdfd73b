"""The guide's page on research, and the trained example."""

import contextlib
import importlib.util
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import numpy as np

import fairlane
import fairlane.gym

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/reinforcement"


def example():
    spec = importlib.util.spec_from_file_location("train", EXAMPLE / "train.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Research(unittest.TestCase):
    def test_the_page_is_one_program_that_prints_what_it_says(self):
        page = (ROOT / "docs/research.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```(?:\n\nprints\n\n```text\n(.*?)^```)?", page, re.M | re.S)
        self.assertGreater(len(blocks), 4)
        names = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block, prints in blocks:
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile(block, "research.md", "exec"), names)
                if prints:
                    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
                    self.assertEqual(lines, prints.splitlines())
            self.assertLessEqual({"schedule.svg", "schedule.html"}, set(os.listdir()))
        # The demo is what was trained.
        shown = json.loads((ROOT / "docs/programs/trained.json").read_text())
        self.assertEqual(shown.pop("policies"), {"custom": {"program": names["program"]}})
        self.assertEqual(shown, fairlane.generate(names["workload"], 4))
        for policy, mean in [(names["trained"], "11.9 s"), ("fair", "16.9 s")]:
            self.assertEqual(f"{fairlane.simulate(shown, policy).figures['mean_response_s']:.1f} s", mean)
            self.assertIn(mean, page)

    def test_the_trained_program_beats_weighted_fair_on_batches_it_has_not_seen(self):
        train = example()
        program = (EXAMPLE / "trained.rhai").read_text()
        times = train.compared(program, range(50_000, 50_003), (-0.3,))
        self.assertLess((times["trained"] / times["wfair -0.3"]).mean(), 0.95)

    def test_the_trainer_writes_such_a_program(self):
        train = example()
        numbers = [float(number) for number in re.findall(
            r"(-?\d+\.\d{4})", (EXAMPLE / "trained.rhai").read_text())]
        self.assertEqual(train.PROGRAM.format(*(f"{number:.4f}" for number in numbers)),
                         (EXAMPLE / "trained.rhai").read_text())
        env = train.gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2, reward="mean_response", stages=512, edges=1024)
        one, other = train.mean_responses(env, np.stack([train.START, numbers]), [3, 3])
        self.assertNotEqual(one, other)
        env.close()


if __name__ == "__main__":
    unittest.main()
