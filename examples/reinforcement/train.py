"""Trains a scheduling policy in Fairlane's environment for Gymnasium, with nothing but NumPy, and writes it as a
program that the lab plays: ``python train.py``. ``README.md`` says what came out.

The policy has eight numbers. A job's limit of cores follows from the jobs in the system and its own waiting work; among
the stages of jobs below their limit, and then among all others, the one with the least score goes first. Evolution
strategies find the numbers: each round tries disturbances with both signs on the same batches and moves towards those
under which jobs ended sooner.
"""

import argparse
import json
import time
from pathlib import Path

import gymnasium
import numpy as np

import fairlane
import fairlane.gym

COLUMN = {name: index for index, name in enumerate(fairlane.gym.NODE_NUMBERS)}
# Of the score of a stage: its job's waiting work, its own, the length of its tasks, their number, its job's cores. Of
# the limit of a job, a power of e: a constant, the jobs in the system, the job's waiting work.
START = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.5, 0.0])
PROGRAM = """\
// A linear policy that was trained by examples/reinforcement/train.py.
const keys = "each launch";
let jobs = 0;

fn on_arrival(job) {{ this.jobs += 1; }}

fn on_job_end(job) {{ this.jobs -= 1; }}

fn key(stage) {{
    let work = ln(1.0 + max(0.0, stage.job.estimate - stage.job.attained));
    let mean = stage.estimate / stage.tasks;
    let score = {0} * work + {1} * ln(1.0 + mean * stage.pending) + {2} * ln(1.0 + mean)
        + {3} * ln(1.0 + stage.pending) + {4} * stage.job.running / cores;
    let limit = cores * exp({5} + {6} * ln(float(this.jobs)) + {7} * (work - 6.0));
    #{{ "is at its limit": stage.job.running >= limit, score: score }}
}}
"""


def choose(numbers: np.ndarray, seen: dict[str, np.ndarray]) -> np.ndarray:
    """The action of each environment under its own numbers."""
    column = lambda name: seen["nodes"][:, :, COLUMN[name]].astype(float)
    work, running = np.log1p(column("job_work_s")), column("job_running")
    cores, jobs = seen["cluster"][:, 1:2].astype(float), np.maximum(seen["cluster"][:, 2:3], 1.0)
    of = [numbers[:, [index]] for index in range(len(START))]
    score = (of[0] * work + of[1] * np.log1p(column("work_s")) + of[2] * np.log1p(column("task_s"))
             + of[3] * np.log1p(column("pending")) + of[4] * running / cores)
    limit = cores * np.exp(np.clip(of[5] + of[6] * np.log(jobs) + of[7] * (work - 6), -10, 3))
    rank = np.where(seen["stage_mask"] == 1, score + 1e6 * (running >= limit), np.inf)
    stage = rank.argmin(axis=1)
    rows = np.arange(len(stage))
    limit = np.clip(np.ceil(limit[rows, stage]), seen["least_limit"][rows, stage], cores[:, 0])
    return np.stack([stage, np.maximum(limit, 1) - 1], axis=1).astype(np.int64)


def mean_responses(env: gymnasium.vector.VectorEnv, numbers: np.ndarray, seeds: list[int]) -> np.ndarray:
    """The mean response time, in seconds, of the batch of each seed under its numbers."""
    seen, _ = env.reset(seed=seeds)
    total, is_over = np.zeros(len(seeds)), np.zeros(len(seeds), bool)
    while not is_over.all():
        seen, rewards, ends, _, _ = env.step(choose(numbers, seen))
        total -= np.where(is_over, 0.0, rewards)
        is_over |= ends
    return total


def trained(minutes: float, pairs: int, batches: int, seed: int) -> np.ndarray:
    """The numbers after so many minutes; prints the learning curve."""
    random = np.random.default_rng(seed)
    env = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2 * pairs * batches, reward="mean_response", stages=512,
                             edges=1024)
    numbers, momentum, begin, round_ = START.copy(), np.zeros(len(START)), time.monotonic(), 0
    while time.monotonic() - begin < 60 * minutes:
        spent = (time.monotonic() - begin) / (60 * minutes)
        width, rate = 0.25 * (1 - 0.8 * spent), 0.15 * (1 - 0.8 * spent)
        noise = random.standard_normal((pairs, len(START)))
        tried = np.concatenate([numbers + width * noise, numbers - width * noise])
        seeds = [int(one) for one in random.integers(1_000_000, size=batches)]
        times = mean_responses(env, np.repeat(tried, batches, axis=0), seeds * (2 * pairs))
        # Relative to the mean of its batch: batches differ more than policies.
        times = times.reshape(2 * pairs, batches)
        loss = (times / times.mean(axis=0)).mean(axis=1)
        slope = ((loss[:pairs] - loss[pairs:]) @ noise) / pairs
        momentum = 0.8 * momentum + 0.2 * slope / (np.linalg.norm(slope) + 1e-12)
        numbers = numbers - rate * momentum
        round_ += 1
        print(json.dumps({"round": round_, "s": round(time.monotonic() - begin), "mean_response_s":
                          round(float(times.mean()), 2), "numbers": numbers.round(3).tolist()}), flush=True)
    env.close()
    return numbers


def compared(program: str, seeds: range, alphas: tuple[float, ...]) -> dict[str, np.ndarray]:
    """Mean response times, in seconds, on batches that training has not seen: of the program, and of weighted fair."""
    times: dict[str, list[float]] = {"trained": [], **{f"wfair {alpha}": [] for alpha in alphas}}
    for seed in seeds:
        batch = fairlane.generate(fairlane.gym.DECIMA, seed)
        times["trained"].append(fairlane.simulate(batch, {"program": program}).figures["mean_response_s"])
        for alpha in alphas:
            batch["policies"] = {"wfair": {"alpha": alpha}}
            times[f"wfair {alpha}"].append(fairlane.simulate(batch, "wfair").figures["mean_response_s"])
    return {name: np.array(values) for name, values in times.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--minutes", type=float, default=14)
    options.add_argument("--pairs", type=int, default=8, help="disturbances of a round")
    options.add_argument("--batches", type=int, default=2, help="batches on which each is tried")
    options.add_argument("--unseen", type=int, default=20, help="batches for the table")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--program", type=Path, default=Path(__file__).with_name("trained.rhai"))
    given = options.parse_args()
    numbers = trained(given.minutes, given.pairs, given.batches, given.seed)
    program = PROGRAM.format(*(f"{number:.4f}" for number in numbers))
    given.program.write_text(program)
    # Those of training are drawn from all whole numbers by their own seeds.
    times = compared(program, range(40_000, 40_000 + given.unseen), (-0.3, 0.0, 1.0))
    for name, values in times.items():
        ratios = times["trained"] / values
        error = 1.96 * ratios.std(ddof=1) / len(ratios) ** 0.5
        print(f"{name:12} {values.mean():7.1f} s, trained over it {ratios.mean():.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
