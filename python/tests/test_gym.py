"""The environment of Gymnasium."""

import copy
import doctest
import multiprocessing
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor

import gymnasium
import numpy as np
import pandas as pd
from gymnasium.utils.env_checker import check_env

import fairlane
import fairlane.gym

SKEW = {"workload": "catalog:skew"}


def played(env, choose, seed=None):
    """The rewards of an episode whose actions are a function of the observation."""
    observation, info = env.reset(seed=seed)
    rewards, is_over = [], False
    while not is_over:
        observation, reward, is_over, is_cut, info = env.step(choose(observation))
        rewards.append(reward)
        assert not is_cut
    assert info["jobs_in_system"] == 0
    return rewards


INHERITED = []


def error_of_inherited() -> str:
    try:
        INHERITED[-1].reset()
    except fairlane.FairlaneError as error:
        return str(error)
    return ""


def first(observation):
    """The first stage, on any number of cores."""
    return np.flatnonzero(observation["stage_mask"])[0], int(observation["cluster"][1]) - 1


def least(observation):
    """The last stage, on one core more than its job has."""
    stage = np.flatnonzero(observation["stage_mask"])[-1]
    return stage, observation["least_limit"][stage] - 1


class Environment(unittest.TestCase):
    def test_gymnasium_accepts_it(self):
        spaces = [{**SKEW, "actions": actions, "observation": observation}
                  for actions in ["stage", "user", "weight"] for observation in ["graph", "flat"]]
        # The checker draws batches without a seed: each time it meets others.
        for values in [*spaces, *[{}] * 10]:
            with warnings.catch_warnings():
                # It would like bounds on times and counts.
                warnings.simplefilter("ignore")
                check_env(gymnasium.make("Fairlane/Spark-v0", **values).unwrapped)

    def test_the_module_is_its_example(self):
        self.assertEqual(doctest.testmod(fairlane.gym).failed, 0)

    def test_the_first_stage_first_is_fifo(self):
        # Where a freed core's own stage is not the first, FIFO would leave it; an episode does not ask.
        for name in ["two-users", "skew", "priority-inversion", "heavy-first"]:
            env = gymnasium.make("Fairlane/Spark-v0", workload=f"catalog:{name}").unwrapped
            played(env, first)
            run, fifo = env.simulation(), fairlane.simulate(f"catalog:{name}", "fifo")
            self.assertEqual(run.figures["mean_response_s"], fifo.figures["mean_response_s"], name)

    def test_users_and_weights_share_as_their_policies_do(self):
        # Tasks of one length, so that it does not matter which job of a user goes on.
        jobs = [{"user": user, "arrival_s": at, "stages": [{"tasks_s": [2] * 12}]}
                for user in ["ana", "ben"] for at in [0, 0, 1]]
        workload = {"format": "fairlane/scenario@1", "cluster": {"executors": 1, "cores_per_executor": 8},
                    "users": [{"name": "ana"}, {"name": "ben", "weight": 3}], "jobs": jobs}

        def least_loaded(observation):
            load = observation["users"][:, 0] / observation["users"][:, 2]
            return np.where(observation["user_mask"] == 1, load, np.inf).argmin()

        def with_weights(*weights):
            return lambda seen: (user := least_loaded(seen), weights[user] - 1)

        ends = {}
        for name, actions, choose in [("fair", "user", least_loaded), ("weights", "weight", with_weights(1, 3)),
                                      ("ana", "weight", with_weights(10, 1))]:
            env = gymnasium.make("Fairlane/Spark-v0", workload=workload, actions=actions).unwrapped
            played(env, choose)
            ends[name] = env.simulation().jobs.groupby("user")["finish_s"].max()
            self.assertEqual(len(env.simulation().tasks), 72)
        pd.testing.assert_series_equal(ends["fair"], ends["weights"])
        self.assertLess(ends["fair"]["ben"], ends["fair"]["ana"])
        self.assertLess(ends["ana"]["ana"], ends["ana"]["ben"])

    def test_an_order_ends_with_its_instant(self):
        # Whoever weighs users is asked at every instant at which a core is free.
        env = gymnasium.make("Fairlane/Spark-v0", workload="catalog:two-users", actions="weight").unwrapped
        rewards = played(env, lambda seen: (np.flatnonzero(seen["user_mask"])[0], 0))
        starts = env.simulation().tasks["start_s"].nunique()
        self.assertEqual(len(rewards), starts)

    def test_users_that_cannot_launch_are_masked(self):
        for actions in ["user", "weight"]:
            env = gymnasium.make("Fairlane/Spark-v0", workload="catalog:two-users", actions=actions).unwrapped
            observation, _ = env.reset()
            masked = np.flatnonzero(observation["user_mask"] == 0)
            for user in [*masked, -1, len(observation["user_mask"])]:
                with self.assertRaisesRegex(fairlane.FairlaneError, "`user_mask`"):
                    env.step((user, 0))
            played(env, lambda _: env.action_space.sample())
        with self.assertRaisesRegex(fairlane.FairlaneError, "a weight of 11"):
            env.reset()
            env.step((np.flatnonzero(observation["user_mask"])[0], 10))
        vector = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=3, workload="catalog:two-users", actions="weight")
        vector.reset(seed=1)
        for _ in range(20):
            vector.step(vector.action_space.sample())

    def test_a_flat_observation_has_the_numbers_of_the_graph(self):
        for actions in ["stage", "user", "weight"]:
            graph, flat = (gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2, workload="catalog:two-users",
                                              actions=actions, observation=kind) for kind in ["graph", "flat"])
            seen, row = graph.reset(seed=3)[0], flat.reset(seed=3)[0]
            self.assertEqual(row.dtype, np.float32)
            parts = [np.dstack([seen["nodes"], seen["stage_mask"], seen["least_limit"]])]
            if actions != "stage":
                parts.append(np.dstack([seen["users"], seen["user_mask"]]))
            expected = [part.reshape(2, -1) for part in [*parts, seen["cluster"]]]
            np.testing.assert_array_equal(row, np.concatenate(expected, axis=1))

    def test_samples_are_of_what_is_not_masked(self):
        for count in [1, 3]:
            env = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=count, workload="catalog:heavy-first")
            seen, _ = env.reset(seed=2)
            env.action_space.seed(2)
            drawn = np.array([env.action_space.sample() for _ in range(300)])
            for index in range(count):
                stages, limits = drawn[:, index].T
                self.assertEqual(set(stages), set(np.flatnonzero(seen["stage_mask"][index])))
                least = seen["least_limit"][index][stages] - 1
                self.assertTrue((limits >= least).all() and (limits == least).any())
                self.assertEqual(limits.max(), env.single_action_space.nvec[1] - 1)

    def test_seeds_give_the_same_samples(self):
        for count in [1, 3]:
            env = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=count, workload="catalog:heavy-first")
            env.reset(seed=2)

            def drawn(seed):
                env.action_space.seed(seed)
                return np.array([env.action_space.sample() for _ in range(20)])

            np.testing.assert_array_equal(drawn(4), drawn(4))
            self.assertFalse((drawn(4) == drawn(5)).all())
            # A copy knows no environments: it draws among all.
            rows = np.array([copy.deepcopy(env.action_space).sample()[0][0] for _ in range(300)])
            self.assertTrue(((rows >= 0) & (rows < env.single_action_space.nvec[0])).all())

    def test_what_was_returned_stays_as_it_was(self):
        for values in [{}, {"observation": "flat"}, {"actions": "weight"}]:
            for env in [gymnasium.make("Fairlane/Spark-v0", **SKEW, **values).unwrapped,
                        gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2, **SKEW, **values)]:
                kept = []
                seen, info = env.reset(seed=1)
                for _ in range(12):
                    # Copies of some, a view of others, and of most nothing.
                    named = {"all": seen} if isinstance(seen, np.ndarray) else seen
                    kept.append([(rows[..., :1], rows[..., :1].copy()) for rows in named.values()])
                    kept.append([(rows, copy.copy(rows)) for rows in info.values()])
                    for _ in range(3):
                        seen, _, is_over, _, info = env.step(env.action_space.sample())
                        if is_over is True:
                            seen, info = env.reset()
                for rows, copied in [pair for pairs in kept for pair in pairs]:
                    np.testing.assert_array_equal(rows, copied)

    def test_what_is_returned_may_be_changed(self):
        for values in [{}, {"observation": "flat"}, {"actions": "weight"}]:
            envs = [gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2, **SKEW, **values) for _ in range(2)]
            for env in envs:
                env.reset(seed=1)
            for step in range(20):
                actions = envs[0].action_space.sample()
                (seen, *others), (changed, *also) = (env.step(actions) for env in envs)
                if isinstance(seen, np.ndarray):
                    seen, changed = {"all": seen}, {"all": changed}
                for name, rows in seen.items():
                    np.testing.assert_array_equal(rows, changed[name])
                for one, other in zip(others[:3] + list(others[3].values()), also[:3] + list(also[3].values())):
                    np.testing.assert_array_equal(one, other)
                for rows in [*changed.values(), also[0], also[1], *also[3].values()]:
                    rows[...] = 77
                    rows.flags.writeable = step % 3 > 0
                also[3]["mine"] = changed.pop(name)
                del rows, seen, changed, others, also

    def test_many_environments_are_shared_out(self):
        # More than one thread's share, of which the last one is not full.
        vector = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=21, **SKEW)
        vector.reset(seed=3)
        env = gymnasium.make("Fairlane/Spark-v0", **SKEW).unwrapped
        vector.action_space.seed(3)
        actions = vector.action_space.sample()
        with self.assertRaisesRegex(fairlane.FairlaneError, "21 environments take 2 numbers each"):
            vector.step(actions[:20])
        actions[20, 0] = -1
        with self.assertRaisesRegex(fairlane.FairlaneError, "environment 20: stage -1 is masked"):
            vector.step(actions)
        seen, _ = vector.reset(seed=3)
        for name, rows in env.reset(seed=23)[0].items():
            np.testing.assert_array_equal(seen[name][20], rows)

    def test_schedules_are_sound(self):
        for workload in [fairlane.gym.DECIMA, "catalog:paper-scenario-1"]:
            env = gymnasium.make("Fairlane/Spark-v0", workload=workload).unwrapped
            for choose in [first, least, lambda _: env.action_space.sample()]:
                played(env, choose, seed=5)
                tasks = env.simulation().tasks
                self.assertFalse(tasks.duplicated(["job", "stage", "task"]).any())
                on_core = tasks.sort_values(["core", "start_s"])
                gaps = on_core.groupby("core")["start_s"].shift(-1) - on_core["end_s"]
                self.assertGreaterEqual(gaps.min(), -1e-9)
                self.assertEqual(len(tasks), len(fairlane.simulate(env.scenario(), "fifo").tasks))
                self.assertIn("<svg", env.picture())

    def test_seeds_give_the_same_episodes(self):
        env = gymnasium.make("Fairlane/Spark-v0").unwrapped

        def schedule(seed):
            env.action_space.seed(seed)
            played(env, lambda _: env.action_space.sample(), seed)
            return env.simulation().hash

        self.assertEqual(schedule(3), schedule(3))
        self.assertNotEqual(schedule(3), schedule(4))

    def test_rewards_are_the_time_that_jobs_spend_in_the_system(self):
        for reward, times in [("jobs", 20), ("mean_response", 1), (lambda info: -info["job_seconds"] / 20, 1)]:
            env = gymnasium.make("Fairlane/Spark-v0", reward=reward).unwrapped
            rewards = played(env, first, seed=1)
            mean = env.simulation().figures["mean_response_s"]
            self.assertAlmostEqual(-sum(rewards), times * mean, places=4)

    def test_masked_actions_are_errors(self):
        env = gymnasium.make("Fairlane/Spark-v0", **SKEW).unwrapped
        with self.assertRaisesRegex(fairlane.FairlaneError, "call `reset` first"):
            env.step((0, 0))
        observation, _ = env.reset()
        masked = np.flatnonzero(observation["stage_mask"] == 0)[0]
        for stage in [masked, -1, env.action_space.nvec[0]]:
            with self.assertRaisesRegex(fairlane.FairlaneError, "`stage_mask`"):
                env.step((stage, 0))
        stage, _ = first(observation)
        for limit in [-1, observation["least_limit"][stage] - 2, env.action_space.nvec[1]]:
            with self.assertRaisesRegex(fairlane.FairlaneError, "`least_limit`"):
                env.step((stage, limit))
        with self.assertRaisesRegex(fairlane.FairlaneError, "not over"):
            env.simulation()
        for action in [None, (0.7, 1.0), ("0", "3")]:
            with self.assertRaisesRegex(fairlane.FairlaneError, "whole numbers"):
                env.step(action)
        # Nothing has happened by them.
        played(env, first)
        with self.assertRaisesRegex(fairlane.FairlaneError, "is over; call `reset`"):
            env.step((0, 0))
        vector = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=4, **SKEW)
        with self.assertRaisesRegex(fairlane.FairlaneError, "4 environments and 2 seeds"):
            vector.reset(seed=[1, 2])
        odd = gymnasium.make("Fairlane/Spark-v0", **SKEW, reward=lambda info: None).unwrapped
        odd.reset()
        with self.assertRaisesRegex(fairlane.FairlaneError, "`reward` answers with a number, not None"):
            odd.step(odd.action_space.sample())

    def test_an_episode_is_the_scenario_of_its_seed(self):
        workload = fairlane.gym.DECIMA
        env = gymnasium.make("Fairlane/Spark-v0", workload=workload).unwrapped
        _, info = env.reset(seed=4)
        made = fairlane.generate(workload, info["seed"])
        self.assertEqual(info["jobs"], len(made["jobs"]))
        played(env, first, seed=4)
        self.assertEqual(env.scenario()["jobs"], made["jobs"])
        vector = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=2, workload=workload)
        self.assertEqual(vector.reset(seed=4)[1]["seed"][0], info["seed"])

    def test_what_cannot_be_played_is_said(self):
        with self.assertRaisesRegex(fairlane.FairlaneError, "give stages="):
            gymnasium.make("Fairlane/Spark-v0", **SKEW, stages=1).unwrapped.reset()
        with self.assertRaisesRegex(fairlane.FairlaneError, "no such scenario"):
            gymnasium.make("Fairlane/Spark-v0", workload="catalog:nothing")
        for values in [{"reward": "own"}, {"observation": "text"}, {"actions": "pool"}]:
            with self.assertRaisesRegex(ValueError, "not ['\"]"):
                gymnasium.make("Fairlane/Spark-v0", **SKEW, **values)

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "processes are not forked")
    def test_a_fork_is_told_to_make_its_own(self):
        env = gymnasium.make("Fairlane/Spark-v0", **SKEW).unwrapped
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            INHERITED.append(env)
            self.assertIn("make one in each process", pool.submit(error_of_inherited).result(timeout=60))

    def test_a_vector_is_its_environments(self):
        vector = gymnasium.make_vec("Fairlane/Spark-v0", num_envs=3)
        singles = [gymnasium.make("Fairlane/Spark-v0").unwrapped for _ in range(3)]
        seen, _ = vector.reset(seed=7)
        alone = [env.reset(seed=7 + index)[0] for index, env in enumerate(singles)]
        over = [False] * 3
        for _ in range(400):
            for index, one in enumerate(alone):
                for name, rows in seen.items():
                    np.testing.assert_array_equal(rows[index], one[name])
            actions = [(0, 0) if is_over else first(one) for one, is_over in zip(alone, over)]
            seen, rewards, is_over, is_cut, info = vector.step(np.array(actions))
            self.assertFalse(is_cut.any())
            for index, env in enumerate(singles):
                if over[index]:
                    # The step after the end begins the next episode.
                    alone[index], reward, over[index] = env.reset()[0], 0.0, False
                else:
                    alone[index], reward, over[index], _, _ = env.step(actions[index])
                self.assertEqual((rewards[index], is_over[index]), (reward, over[index]))
        self.assertTrue((info["now_s"] > 0).any())


if __name__ == "__main__":
    unittest.main()
