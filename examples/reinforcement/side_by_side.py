"""Measures Fairlane's environment beside spark-sched-sim on the same jobs: ``python side_by_side.py``.

spark-sched-sim (https://github.com/ArchieGertsman/spark-sched-sim) is not in a registry; install its repository, so
that ``import spark_sched_sim`` works. Without it the script measures Fairlane alone, and says so. ``README.md`` says
what came out.

The jobs are batches of the Decima paper, 20 TPC-H queries on 50 executors, which Fairlane generates. spark-sched-sim
gets the same stages and lengths of tasks, with the longer first tasks of an executor and the slower wide stages; it
takes 2 s to move an executor to another job, in both.
"""

import argparse
import time
from statistics import mean

import gymnasium
import numpy as np

import fairlane
import fairlane.gym

EXECUTORS, MOVE_S = 50, 2.0
WORKLOAD = {**fairlane.gym.DECIMA, "cluster": {**fairlane.gym.DECIMA["cluster"], "core_move_s": MOVE_S}}


def peer():
    """spark-sched-sim's class of environments, or why there is none."""
    try:
        import networkx
        import spark_sched_sim
        from spark_sched_sim import data_samplers
        from spark_sched_sim.components import Job, Stage
    except ImportError as error:
        return None, f"{error}"

    class Batches:
        """Jobs of Fairlane's batches, for spark-sched-sim."""

        def __init__(self, batches, **_):
            self.batches, self.next = batches, 0

        def reset(self, np_random):
            batch = self.batches[self.next % len(self.batches)]
            self.next += 1
            self.jobs = [(job["arrival_s"] * 1000, self.job(index, job)) for index, job in enumerate(batch["jobs"])]

        def job_sequence(self, max_time):
            return self.jobs

        def job(self, index, job):
            stages, graph = [], networkx.DiGraph()
            for number, stage in enumerate(job["stages"]):
                lengths = np.array(stage["tasks_s"]) * 1000
                made = Stage(number, index, len(lengths), lengths.mean())
                made.lengths, made.first_wave = lengths, stage.get("first_wave", 1.0)
                made.inflation = np.array(stage.get("inflation") or [[1, 1.0]]).T
                graph.add_node(number)
                # A stage without `parents` follows the one before it.
                parents = stage.get("parents", [number - 1] if number else [])
                graph.add_edges_from((parent, number) for parent in parents)
                stages.append(made)
            return Job(index, stages, graph, job["arrival_s"] * 1000)

        def task_duration(self, job, stage, task, executor):
            # The task has been counted as running.
            length = stage.lengths[stage.num_tasks - stage.num_remaining_tasks - 1]
            length *= np.interp(stage.num_executing_tasks, *stage.inflation)
            is_first = executor.is_idle or executor.task.stage_id != task.stage_id
            return length * (stage.first_wave if is_first else 1.0)

    data_samplers.Batches = Batches
    return spark_sched_sim.SparkSchedSimEnv, ""


def of_peer(kind, batches):
    return kind({"num_executors": EXECUTORS, "job_arrival_cap": 20, "moving_delay": MOVE_S * 1000,
                 "data_sampler_cls": "Batches", "batches": batches})


def play_peer(envs, choose, most):
    """Plays environments in turn until so many decisions are made: the decisions, and the seconds of the processor."""
    seen = [env.reset(seed=index)[0] for index, env in enumerate(envs)]
    began, count = time.process_time(), 0
    while count < most:
        for index, env in enumerate(envs):
            seen[index], _, is_over, _, _ = env.step(choose(seen[index]))
            if is_over:
                seen[index], _ = env.reset()
        count += len(envs)
    return count, time.process_time() - began


def play_fairlane(count, most):
    """As ``play_peer``, with random actions; and the seconds that passed."""
    env = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=count, workload=WORKLOAD, stages=256, edges=512)
    env.action_space.seed(1)
    env.reset(seed=1)
    began, by_clock, made = time.process_time(), time.perf_counter(), 0
    while made < most:
        env.step(env.action_space.sample())
        made += count
    return made, time.process_time() - began, time.perf_counter() - by_clock


def at_random(random):
    """Any stage that can be scheduled, on any number of executors."""
    def choose(seen):
        stages = int(seen["dag_batch"].nodes[:, 2].sum())
        return {"stage_idx": int(random.integers(stages)),
                "num_exec": int(random.integers(seen["num_committable_execs"])) + 1}
    return choose


def sharing(most_of):
    """Jobs in the order of arrival, first the one that gives executors away, each up to a number of executors that
    follows from the number of jobs."""
    def choose(seen):
        free, held = seen["num_committable_execs"], seen["exec_supplies"]
        most, source = most_of(len(held)), seen["source_job_idx"]
        can = seen["dag_batch"].nodes[:, 2] > 0
        places = np.cumsum(can) - 1
        for job in [source, *range(len(held))]:
            is_source = job == source
            if job >= len(held) or not is_source and held[job] >= most:
                continue
            rows = np.arange(seen["dag_ptr"][job], seen["dag_ptr"][job + 1])
            rows = rows[can[rows]]
            if len(rows):
                # Stages that wait for no other, first.
                waits = np.isin(rows, seen["dag_batch"].edge_links[:, 1])
                cores = free if is_source else min(free, most - held[job])
                return {"stage_idx": int(places[rows[waits.argmin()]]), "num_exec": int(cores)}
        return {"stage_idx": -1, "num_exec": free}
    return choose


def episode(env, choose):
    """The mean completion time of the next batch, in seconds."""
    seen, is_over = env.reset(seed=0)[0], False
    while not is_over:
        seen, _, is_over, _, _ = env.step(choose(seen))
    return mean(job.t_completed - job.t_arrival for job in env.jobs.values()) / 1000


def decisions(kind, batches, rounds, most):
    """Decisions a second of the processor, the best of some rounds in which both take turns."""
    best = {}
    for _ in range(rounds):
        for envs in (1, 64):
            made, took, by_clock = play_fairlane(envs, most)
            best["Fairlane", envs] = max(best.get(("Fairlane", envs), 0), made / took)
            best["Fairlane, by the clock", envs] = max(best.get(("Fairlane, by the clock", envs), 0), made / by_clock)
            if kind:
                made, took = play_peer([of_peer(kind, batches) for _ in range(envs)],
                                       at_random(np.random.default_rng(1)), max(most // 50, 10 * envs))
                best["spark-sched-sim", envs] = max(best.get(("spark-sched-sim", envs), 0), made / took)
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    options.add_argument("--decisions", type=int, default=200_000, help="decisions of a round in Fairlane")
    options.add_argument("--batches", type=int, default=10, help="batches under FIFO and fair")
    given = options.parse_args()
    kind, reason = peer()
    if not kind:
        print(f"spark-sched-sim cannot be imported ({reason}): what follows is of Fairlane alone.")
    batches = [fairlane.generate(WORKLOAD, seed) for seed in range(given.batches)]

    print("\nDecisions a second of the processor, with random actions")
    best = decisions(kind, batches, given.rounds, given.decisions)
    for (name, envs), rate in best.items():
        print(f"  {name:24} {envs:3} {'environment ' if envs == 1 else 'environments'} {rate:12,.0f}")
    if kind:
        for envs in (1, 64):
            print(f"  ratio of {envs}: {best['Fairlane', envs] / best['spark-sched-sim', envs]:.0f}")

    print("\nMean completion times in seconds, batch by batch")
    policies = {"fifo": ("fifo", lambda jobs: EXECUTORS), "fair": ("wfair", lambda jobs: -(-EXECUTORS // max(jobs, 1)))}
    for name, (policy, most_of) in policies.items():
        ours = [fairlane.simulate(batch, policy).figures["mean_response_s"] for batch in batches]
        print(f"  {name}: Fairlane {mean(ours):.1f}", end="")
        if kind:
            theirs = [episode(of_peer(kind, [batch]), sharing(most_of)) for batch in batches]
            print(f", spark-sched-sim {mean(theirs):.1f}, ratio {mean(np.divide(ours, theirs)):.3f}", end="")
        print()


if __name__ == "__main__":
    main()
