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
from ._input import FairlaneError, Scenario, source
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
that have ended, over the jobs of the episode. Or a function of ``info``."""


class _Game:
    """Environments over one workload: what an environment and a vector of them have in common. With no ``count`` it is
    one, whose arrays have no axis of environments."""

    def __init__(self, workload: Scenario, count: int | None, actions: str, reward: Reward, observation: str,
                 stages: int | None, edges: int | None, users: int | None) -> None:
        if observation not in ("graph", "flat"):
            raise ValueError(f'an observation is "graph" or "flat", not {observation!r}')
        if not callable(reward) and reward not in ("jobs", "mean_response"):
            raise ValueError(f'a reward is "jobs", "mean_response" or a function, not {reward!r}')
        self.reward = reward if callable(reward) else None
        is_flat = observation == "flat"
        self.arena = arena = _native.Arena(source(workload), count, actions, None if callable(reward) else reward,
                                           is_flat, stages, edges, users)
        # What an action is chosen among: stages or users, and limits or weights less 1.
        self.choices = {"stage": [arena.stages, arena.cores], "user": [arena.users],
                        "weight": [arena.users, arena.most_weight]}[actions]
        bounds = {
            "nodes": (0, np.inf, (arena.stages, len(NODE_NUMBERS)), np.float32),
            "jobs": (-1, arena.stages, (arena.stages,), np.int32),
            "edges": (-1, arena.stages, (arena.edges, 2), np.int32),
            "stage_mask": (0, 1, (arena.stages,), np.int8),
            "least_limit": (0, arena.cores, (arena.stages,), np.int32),
            "cluster": (0, np.inf, (4,), np.float32),
        }
        if actions != "stage":
            bounds["users"] = (0, np.inf, (arena.users, len(USER_NUMBERS)), np.float32)
            bounds["user_mask"] = (0, 1, (arena.users,), np.int8)
        if is_flat:
            length = arena.stages * (len(NODE_NUMBERS) + 2) + 4
            length += arena.users * (len(USER_NUMBERS) + 1) if actions != "stage" else 0
            self.space: spaces.Space = spaces.Box(0, np.inf, (length,), np.float32)
        else:
            self.space = spaces.Dict({name: spaces.Box(low, high, shape, dtype)
                                      for name, (low, high, shape, dtype) in bounds.items()})

    def play(self, actions: Any, starts: list[tuple[int, int]] | None) -> tuple[Any, Any, Any, dict[str, Any], list[int]]:
        """Moves all environments, or starts episodes in some: observation, rewards and ends, what has happened, and
        which environments are over. Without starts, all are moved."""
        if starts is None or actions is not None:
            actions = np.asarray(actions)
            if actions.dtype.kind not in "iu":
                raise FairlaneError(f"an action has whole numbers, not {actions.dtype}; see `action_space`")
            actions = np.ascontiguousarray(actions, np.int64)
        return self.arena.play(actions, starts or [])

    def reward_of(self, info: dict[str, Any]) -> float:
        """What the caller's function makes of a move."""
        reward = self.reward(info)
        try:
            return float(reward)
        except (TypeError, ValueError):
            raise FairlaneError(f"`reward` answers with a number, not {reward!r}") from None


class Choices(spaces.MultiDiscrete):
    """What actions are chosen among. Samples are drawn among what is not masked at the decision before us."""

    def __init__(self, choices: Any, arena: Any = None) -> None:
        super().__init__(choices)
        self._arena = arena
        self._is_seeded = False

    def seed(self, seed: int | None = None) -> Any:
        seeded = super().seed(seed)
        self._is_seeded = False
        return seeded

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        if self._arena is None or mask is not None or probability is not None:
            return super().sample(mask, probability)
        if not self._is_seeded:
            self._arena.seed(int(self.np_random.integers(2**32)))
            self._is_seeded = True
        action = self._arena.sample()
        return super().sample() if action is None else action

    def __getstate__(self) -> dict[str, Any]:
        # A copy is no longer that of the environments, and knows no masks.
        return {**self.__dict__, "_arena": None}


class SparkEnv(gymnasium.Env):
    """One environment; see the module for the ``actions``. ``stages``, ``edges`` and ``users`` are the room of an
    observation: as many stages and dependencies as can be in the system at once, by default twice those of the
    workload's first scenario, and its users."""

    metadata = {"render_modes": []}

    def __init__(self, workload: Scenario = DECIMA, *, actions: str = "stage", reward: Reward = "jobs",
                 observation: str = "graph", stages: int | None = None, edges: int | None = None,
                 users: int | None = None, render_mode: str | None = None) -> None:
        self._game = _Game(workload, None, actions, reward, observation, stages, edges, users)
        self.observation_space = self._game.space
        self.action_space = Choices(self._game.choices, self._game.arena)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observation, _, _, info, _ = self._game.play(None, [(0, _start(self.np_random))])
        return observation, info

    def step(self, action: Sequence[int]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, is_over, info, _ = self._game.play(action, None)
        if self._game.reward:
            reward = self._game.reward_of(info)
        return observation, reward, is_over, False, info

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
        self.action_space = Choices([self._game.choices] * num_envs, self._game.arena)
        # The environments that start again at the next step.
        self._over: list[int] = []
        self._randoms: list[np.random.Generator] = []

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Any, dict[str, Any]]:
        if isinstance(seed, (int, np.integer)):
            seed = [int(seed) + index for index in range(self.num_envs)]
        if seed is not None or not self._randoms:
            seeds = seed if seed is not None else [None] * self.num_envs
            if len(seeds) != self.num_envs:
                raise FairlaneError(f"there are {self.num_envs} environments and {len(seeds)} seeds; give one for each")
            self._randoms = [gymnasium.utils.seeding.np_random(one)[0] for one in seeds]
        starts = [(index, _start(random)) for index, random in enumerate(self._randoms)]
        observation, _, _, info, self._over = self._game.play(None, starts)
        return observation, info

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        starts = [(index, _start(self._randoms[index])) for index in self._over]
        observation, rewards, is_over, info, self._over = self._game.play(actions, starts or None)
        if self._game.reward:
            rewards[:] = [self._game.reward_of(one_of(info, index)) for index in range(self.num_envs)]
            rewards[[index for index, _ in starts]] = 0
        return observation, rewards, is_over, np.zeros(self.num_envs, bool), info


def one_of(info: dict[str, np.ndarray], index: int) -> dict[str, Any]:
    """What has happened in one environment."""
    return {name: rows[index].item() for name, rows in info.items()}


gymnasium.register(
    id="Fairlane/Spark-v0",
    entry_point="fairlane.gym:SparkEnv",
    vector_entry_point="fairlane.gym:SparkVectorEnv",
)
