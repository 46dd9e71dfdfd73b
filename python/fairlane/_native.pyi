"""The simulator, compiled. A scenario is its text or, as a ``dict``, JSON in bytes; a program is JSON in bytes, and a
policy that is an object comes with its name and its seed. Answers are JSON, but for pictures, links and documents."""

from typing import Any

import numpy as np

from ._input import Chosen

LAB: str
VERSION: str

class Run:
    """A simulation, or what was observed."""

    def holders(self, job: int) -> list[tuple[str, float]] | None: ...
    def columns(self) -> dict[str, np.ndarray]: ...
    def picture(self, width: int) -> str: ...

class Cluster:
    """The cluster at the instant of a call. All but the numbers are for handlers."""

    now: float
    cores: int
    free_cores: int
    def users(self) -> list[User]: ...
    def random(self) -> float: ...
    def start(self, job: Job) -> None: ...
    def drop(self, job: Job) -> None: ...
    def wake(self, at: float, token: int = 0) -> None: ...
    @staticmethod
    def micros(seconds: float) -> int: ...

class Stage:
    """A stage at the instant of a call. Times are in seconds, work in core-seconds, memory in MB."""

    cluster: Cluster
    job: Job
    user: User
    note: Any
    running: int
    pending: int
    tasks: int
    estimate: float
    attained: float
    memory: int
    position: int
    parents: int
    submission: int
    id: int
    tie: int
    weight: float
    rank: int
    arrival: float
    waited: float
    deadline: float

class Job:
    """A job at the instant of a call; later what may have changed raises an error."""

    cluster: Cluster
    user: User
    name: str
    note: Any
    running: int
    pending: int
    estimate: float
    unsubmitted: float
    attained: float
    stages: int
    parallelism: int
    rank: int
    arrival: float
    waited: float
    deadline: float
    weight: float

class User:
    """A user at the instant of a call; later what may have changed raises an error."""

    cluster: Cluster
    name: str
    note: Any
    running: int
    pending: int
    weight: float
    memory: int
    index: int
    position: int

class Arena:
    """Environments over a workload, stepped together."""

    cores: int
    jobs: int
    stages: int
    edges: int
    users: int
    most_weight: int
    def __init__(self, workload: str | bytes, count: int | None, actions: str, reward: str | None, is_flat: bool,
                 stages: int | None, edges: int | None, users: int | None) -> None: ...
    def play(self, actions: np.ndarray | None, starts: list[tuple[int, int]]
             ) -> tuple[Any, Any, Any, dict[str, Any], list[int]]: ...
    def seed(self, seed: int) -> None: ...
    def sample(self) -> np.ndarray | None: ...
    def simulation(self, environment: int) -> tuple[str, str, Run]: ...

def catalog() -> str: ...
def compare(scenario: str | bytes, policies: list[Chosen]) -> str: ...
def document(page: bytes, scenario: str | bytes, policies: list[str]) -> bytes: ...
def file(scenario: str | bytes) -> str: ...
def generate(workload: str | bytes, seed: bytes) -> str: ...
def import_log(files: list[list[tuple[str, bytes]]], users: str | None, estimates: str | None, share: bool
               ) -> tuple[str, Run]: ...
def import_table(parts: list[str | bytes], columns: str, cores: int) -> str: ...
def link(scenario: str | bytes, policies: list[str]) -> str: ...
def picture(scenario: str | bytes, policies: list[Chosen]) -> str: ...
def policies() -> str: ...
def scenario(name: str) -> str: ...
def simulate(scenario: str | bytes, policy: Chosen) -> tuple[str, Run]: ...
def sweep(workload: str | bytes, policies: list[Chosen], axes: bytes) -> str: ...
def why(scenario: str | bytes, policy: Chosen, task: int) -> str: ...
