"""Scheduling as an environment of Gymnasium: ``pip install fairlane[gym]``.

>>> import gymnasium
>>> import fairlane.gym
>>> env = gymnasium.make("Fairlane/Spark-v0", workload="catalog:two-users")
>>> observation, info = env.reset(seed=7)
>>> over = False
>>> while not over:
...     observation, reward, over, _, info = env.step(env.action_space.sample())
>>> info["jobs_in_system"]
0

An episode stops at every instant at which a core is free and a task waits. There are three action spaces:

``"stage"``: a stage of the observation and, less 1, a limit: the stage launches tasks on free cores while its job runs
fewer. What a core does next is only asked when its stage has no more tasks.
``"user"``: a user, whose first job in the order of arrival launches a task.
``"weight"``: a user, and its weight less 1 from now on: users launch tasks on all free cores, first who has the fewest
for its weight.

What cannot launch anything is masked; choosing it is an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Union

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from . import _native
from ._input import Scenario, source
from ._results import Simulation

__all__ = ["DECIMA", "NODE_NUMBERS", "USER_NUMBERS", "SparkEnv", "SparkVectorEnv"]

DECIMA = {
    "format": "fairlane/generator@1",
    "preset": {"decima": {}},
    "cluster": {"executors": 50, "cores_per_executor": 1, "task_overhead_s": 0, "core_move_s": 2.5,
                "executors_belong": "jobs"},
}
"""Batches of the Decima paper: 20 TPC-H queries on 50 executors, others with every seed."""

NODE_NUMBERS = (
    "pending", "running", "task_s", "work_s", "is_submitted", "job_running", "job_work_s", "job_age_s", "weight",
)
"""The columns of ``nodes``: tasks that wait and run, the estimated length of a task, the estimated work that waits,
whether the stage may run; cores and waiting work of its job, the job's age, and its user's weight."""

USER_NUMBERS = ("running", "pending", "weight", "jobs", "work_s")
"""The columns of ``users``: tasks that run and wait, the weight now, jobs in the system, the estimated work that waits."""

Reward = Union[str, Callable[[dict[str, Any]], float]]
"""``"jobs"``: less the jobs in the system times the seconds passed. ``"mean_response"``: less the response times of jobs
that have ended, over the number of jobs. Or a function of ``info``."""


class _Game:
    """Environments over one workload: what an environment and a vector of them have in common."""

    def __init__(self, workload: Scenario, count: int, actions: str, reward: Reward, observation: str,
                 stages: int | None, edges: int | None, users: int | None) -> None:
        if observation not in ("graph", "flat"):
            raise ValueError(f'an observation is "graph" or "flat", not {observation!r}')
        if not callable(reward) and reward not in ("jobs", "mean_response"):
            raise ValueError(f'a reward is "jobs", "mean_response" or a function, not {reward!r}')
        self.reward, self.is_flat = reward, observation == "flat"
        self.arena = _native.Arena(source(workload), count, actions, stages, edges, users)
        self.stages, self.edges, self.users = self.arena.stages, self.arena.edges, self.arena.users
        self.cores, self.jobs = self.arena.cores, self.arena.jobs
        self.jobs_of_each = np.full(count, self.jobs)
        self.actions = actions
        # What an action is chosen among: stages or users, and limits or weights less 1.
        self.choices = {"stage": [self.stages, self.cores], "user": [self.users],
                        "weight": [self.users, self.arena.most_weight]}[actions]
        bounds = {
            "nodes": (0, np.inf, (self.stages, len(NODE_NUMBERS)), np.float32),
            "jobs": (-1, self.stages, (self.stages,), np.int32),
            "edges": (-1, self.stages, (self.edges, 2), np.int32),
            "stage_mask": (0, 1, (self.stages,), np.int8),
            "least_limit": (0, self.cores, (self.stages,), np.int32),
            "cluster": (0, np.inf, (4,), np.float32),
        }
        if actions != "stage":
            bounds["users"] = (0, np.inf, (self.users, len(USER_NUMBERS)), np.float32)
            bounds["user_mask"] = (0, 1, (self.users,), np.int8)
        self.shapes = {name: shape for name, (_, _, shape, _) in bounds.items()}
        if self.is_flat:
            length = self.stages * (len(NODE_NUMBERS) + 2) + 4
            length += self.users * (len(USER_NUMBERS) + 1) if actions != "stage" else 0
            self.space: spaces.Space = spaces.Box(0, np.inf, (length,), np.float32)
        else:
            self.space = spaces.Dict({name: spaces.Box(low, high, shape, dtype)
                                      for name, (low, high, shape, dtype) in bounds.items()})

    def play(self, moves: list[Any]) -> tuple[Any, np.ndarray, np.ndarray, dict[str, np.ndarray], Any]:
        """Moves all environments: their observations, rewards and ends, what has happened, and what may be chosen."""
        seen = self.arena.play(moves)
        count = len(moves)
        arrays = {name: seen[name].reshape(count, *shape) for name, shape in self.shapes.items()}
        for name in arrays.keys() & {"stage_mask", "user_mask"}:
            arrays[name] = arrays[name].view(np.int8)
        info = {"now_s": arrays["cluster"][:, 3].astype(float), "elapsed_s": seen["elapsed_s"],
                "jobs_in_system": seen["active"], "job_seconds": seen["job_seconds"], "ended_jobs": seen["ended"],
                "responses_s": seen["responses_s"], "jobs": self.jobs_of_each}
        if self.reward == "jobs":
            rewards = -seen["job_seconds"]
        elif self.reward == "mean_response":
            rewards = -seen["responses_s"] / self.jobs
        else:
            rewards = np.array([self.reward(one_of(info, index)) for index in range(count)])
        observation: Any = arrays
        if self.is_flat:
            parts = [[arrays["nodes"], arrays["stage_mask"], arrays["least_limit"]]]
            if self.actions != "stage":
                parts.append([arrays["users"], arrays["user_mask"]])
            rows = [joined(*columns) for columns in parts]
            observation = np.concatenate([*rows, arrays["cluster"]], axis=1)
        is_of_stages = self.actions == "stage"
        valid = (arrays["stage_mask"], arrays["least_limit"]) if is_of_stages else (arrays["user_mask"], None)
        return observation, rewards, seen["is_over"], info, valid

    def moves(self, actions: Any, count: int) -> list[tuple[int, int]]:
        """Actions as the simulator takes them."""
        rows = np.asarray(actions, dtype=np.int64).reshape(count, -1).tolist()
        has_number = len(self.choices) == 2
        return [(row[0], row[1] + 1 if has_number else 0) for row in rows]


def joined(numbers: np.ndarray, *columns: np.ndarray) -> np.ndarray:
    """For each environment the numbers of its rows, each row followed by its columns, one after the other."""
    count, rows, width = numbers.shape
    whole = np.empty((count, rows, width + len(columns)), np.float32)
    whole[..., :width] = numbers
    for index, column in enumerate(columns):
        whole[..., width + index] = column
    return whole.reshape(count, -1)


def one_of(info: dict[str, np.ndarray], index: int) -> dict[str, Any]:
    """What has happened in one environment."""
    return {name: rows[index].item() for name, rows in info.items()}


class Choices(spaces.MultiDiscrete):
    """What actions are chosen among. Samples are drawn among what is not masked at the decision before us."""

    valid: tuple[np.ndarray, np.ndarray | None] | None = None
    """By environment: which rows may be chosen, and the least limit of each, where there are limits."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        # All that may be chosen, environment by environment; nothing in one that is over.
        valid = np.zeros(0) if self.valid is None else self.valid[0].ravel().nonzero()[0]
        if mask is not None or probability is not None or not valid.size:
            return super().sample(mask, probability)
        mask, least = self.valid
        count, width = mask.shape
        # NumPy draws one number in a third of the time of one number in an array.
        draw = self.np_random.integers
        if count == 1:
            rows = valid[[draw(valid.size)]]
        else:
            ends = np.count_nonzero(mask, axis=1).cumsum()
            starts = np.concatenate([[0], ends[:-1]])
            drawn = draw(starts, np.maximum(ends, starts + 1))
            rows = np.where(ends > starts, valid[np.minimum(drawn, valid.size - 1)] % width, 0)
        chosen = np.zeros((count, self.nvec.size // count), self.dtype)
        chosen[:, 0] = rows
        if chosen.shape[1] == 2:
            most = int(self.nvec.flat[-1])
            low = np.zeros(count, int) if least is None else np.maximum(least[np.arange(count), rows] - 1, 0)
            chosen[:, 1] = draw(low[0], most) if count == 1 else draw(low, most)
        return chosen.reshape(self.nvec.shape)


class SparkEnv(gymnasium.Env):
    """One environment; see the module for the ``actions``. ``stages``, ``edges`` and ``users`` are the room of an
    observation: as many stages and dependencies as can be in the system at once, by default twice those of the
    workload's first scenario, and its users."""

    metadata = {"render_modes": []}

    def __init__(self, workload: Scenario = DECIMA, *, actions: str = "stage", reward: Reward = "jobs",
                 observation: str = "graph", stages: int | None = None, edges: int | None = None,
                 users: int | None = None, render_mode: str | None = None) -> None:
        self._game = _Game(workload, 1, actions, reward, observation, stages, edges, users)
        self.observation_space = self._game.space
        self.action_space = Choices(self._game.choices)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observation, _, _, info = self._play(_start(self.np_random))
        return observation, info

    def step(self, action: Sequence[int]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, is_over, info = self._play(self._game.moves(action, 1)[0])
        return observation, reward, is_over, False, info

    def _play(self, move: Any) -> tuple[Any, float, bool, dict[str, Any]]:
        observation, rewards, is_over, info, self.action_space.valid = self._game.play([move])
        first = observation[0] if self._game.is_flat else {name: rows[0] for name, rows in observation.items()}
        return first, float(rewards[0]), bool(is_over[0]), one_of(info, 0)

    def simulation(self) -> Simulation:
        """The schedule of an episode that is over."""
        _, figures, run = self._game.arena.simulation(0)
        return Simulation(figures, run)

    def scenario(self) -> dict[str, Any]:
        """The scenario of an episode that is over, such as for ``fairlane.show`` under other policies."""
        return json.loads(self._game.arena.simulation(0)[0])

    def picture(self) -> str:
        """The schedule of an episode that is over, as an SVG picture."""
        return self.simulation().svg()


def _start(random: np.random.Generator) -> int:
    """The move that starts an episode: the seed of its workload."""
    return int(random.integers(2**63))


class SparkVectorEnv(VectorEnv):
    """Environments that are stepped together, on all cores. An episode that is over starts again at the next step, whose
    action is not looked at. After an error all have to be reset: some have moved, others not."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 1, workload: Scenario = DECIMA, *, actions: str = "stage",
                 reward: Reward = "jobs", observation: str = "graph", stages: int | None = None,
                 edges: int | None = None, users: int | None = None, render_mode: str | None = None) -> None:
        self.num_envs, self.render_mode = num_envs, render_mode
        self._game = _Game(workload, num_envs, actions, reward, observation, stages, edges, users)
        self.single_observation_space = self._game.space
        self.single_action_space = Choices(self._game.choices)
        self.observation_space = gymnasium.vector.utils.batch_space(self._game.space, num_envs)
        self.action_space = Choices([self._game.choices] * num_envs)
        self._is_over = np.zeros(num_envs, bool)
        self._randoms: list[np.random.Generator] = []

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Any, dict[str, Any]]:
        if isinstance(seed, (int, np.integer)):
            seed = [int(seed) + index for index in range(self.num_envs)]
        if seed is not None or not self._randoms:
            seeds = seed if seed is not None else [None] * self.num_envs
            self._randoms = [gymnasium.utils.seeding.np_random(one)[0] for one in seeds]
        self._is_over[:] = False
        observation, _, _, info = self._play([_start(random) for random in self._randoms])
        return observation, info

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        starts = self._is_over
        moves: list[Any] = self._game.moves(actions, self.num_envs)
        for index in np.flatnonzero(starts):
            moves[index] = _start(self._randoms[index])
        observation, rewards, is_over, info = self._play(moves)
        rewards = np.where(starts, 0.0, rewards)
        self._is_over = is_over
        return observation, rewards, is_over, np.zeros(self.num_envs, bool), info

    def _play(self, moves: list[Any]) -> tuple[Any, np.ndarray, np.ndarray, dict[str, Any]]:
        observation, rewards, is_over, info, self.action_space.valid = self._game.play(moves)
        return observation, rewards, is_over, info


gymnasium.register(
    id="Fairlane/Spark-v0",
    entry_point="fairlane.gym:SparkEnv",
    vector_entry_point="fairlane.gym:SparkVectorEnv",
)
