"""Plays a Fairlane scenario on a Spark cluster: tasks that hold a core for their time, and nothing else.

    spark-submit [--master URL] play.py [--events URI]
    python play.py [--master URL] [--events URI]        where PySpark is installed

Written by `fairlane spark-export`. It reads workload.json and pools.xml beside it, or in the folder it is run in, and
needs no other package. The event log goes to the folder `events` beside it unless --events or spark.eventLog.dir names
another one, such as hdfs:///logs; `fairlane import` reads it.
"""

import argparse
import json
import threading
import time
from pathlib import Path

from pyspark import SparkConf, SparkContext

# `fairlane import` leaves out the jobs of this group.
WARM_UP = "fairlane-warm-up"


def neighbour(name):
    """A file beside this program, or in the folder it is run in (where `spark-submit --files` puts it)."""
    beside = Path(__file__).resolve().parent / name
    return beside if beside.exists() else Path(name).resolve()


def configured(workload, options):
    """The settings of Spark: how it schedules and where it writes the event log."""
    conf = SparkConf()
    conf.setAppName(workload["name"])
    if options.master:
        conf.setMaster(options.master)
    conf.setIfMissing("spark.master", f"local[{workload['cores']}]")
    conf.set("spark.scheduler.mode", workload["mode"])
    conf.set("spark.scheduler.allocation.file", neighbour("pools.xml").as_uri())
    for name, value in workload.get("settings", {}).items():
        conf.setIfMissing(name, value)
    # Tasks do not read data, so that they run anywhere and only once.
    conf.setIfMissing("spark.locality.wait", "0")
    conf.setIfMissing("spark.speculation", "false")
    conf.setIfMissing("spark.ui.enabled", "false")
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    conf.set("spark.eventLog.enabled", "true")
    if options.events or not conf.contains("spark.eventLog.dir"):
        events = options.events or (Path(__file__).resolve().parent / "events").as_uri()
        if events.startswith("file:"):
            Path(events.removeprefix("file://")).mkdir(parents=True, exist_ok=True)
        conf.set("spark.eventLog.dir", events)
    return conf


# What a task runs: it reads how long to hold its core.
HOLD = ["sh", "-c", 'read seconds && exec sleep "$seconds"']


class Lineages:
    """Makes jobs as RDDs: a stage is what lies between two shuffles, and each stage's output is shuffled once.

    Everything is an RDD of the JVM, because tasks in Python would each cost a tenth of a second of processor time.
    """

    def __init__(self, sc):
        self.context = sc._jsc
        self.comma = sc._jvm.java.util.regex.Pattern.compile(",")
        self.to_list = sc._jvm.java.util.stream.Collectors.toList
        self.command = self.strings(HOLD)

    def strings(self, texts):
        """A list of texts without commas in the JVM, by one call instead of one for each."""
        return self.comma.splitAsStream(",".join(texts)).collect(self.to_list())

    def of(self, job):
        """The RDD whose computation is the job."""
        stages = job["stages"]
        # As many partitions as the widest of its readers has tasks; the others read several at once.
        widths = [0] * len(stages)
        for stage in stages:
            for parent in stage["parents"]:
                widths[parent] = max(widths[parent], len(stage["tasks_us"]))
        outputs = []
        for stage, width in zip(stages, widths):
            inputs = [outputs[parent] for parent in stage["parents"]]
            held = self.held(stage["tasks_us"], inputs)
            outputs.append(held.repartition(width) if width else held)
        return outputs[-1]

    def held(self, tasks_us, inputs):
        """A stage that reads the outputs of others and whose task i holds its core for tasks_us[i]."""
        count = len(tasks_us)
        seconds = self.strings([f"{micros / 1e6:.6f}" for micros in tasks_us])
        tasks = self.context.parallelize(seconds, count)
        for rdd in inputs:
            # glom makes one record of each partition, so that partitions go together in pairs.
            tasks = rdd.coalesce(count).glom().zip(tasks).values()
        return tasks.pipe(self.command)


def submit(sc, job, rdd):
    """Submits a job under its user's name, without waiting for it."""
    sc.setLocalProperty("user.name", job["user"])
    sc.setLocalProperty("spark.scheduler.pool", job["pool"])
    sc.setJobGroup(job["group"], job["name"])
    return rdd.collectAsync()


class Player:
    """Submits jobs at their arrivals, and those of sessions when the answer before them is there."""

    def __init__(self, sc, jobs, rdds):
        self.sc, self.jobs, self.rdds = sc, jobs, rdds
        self.followers = {}
        for index, job in enumerate(jobs):
            if "after" in job:
                before, think_us = job["after"]
                self.followers.setdefault(before, []).append((think_us / 1e6, index))
        self.running, self.sessions = [], []

    def submit(self, index):
        future = submit(self.sc, self.jobs[index], self.rdds[index])
        if index in self.followers:
            session = threading.Thread(target=self.follow, args=(future, index))
            self.sessions.append(session)
            session.start()
        else:
            self.running.append(future)

    def follow(self, future, index):
        future.get()
        answered = time.monotonic()
        for think, follower in sorted(self.followers[index]):
            time.sleep(max(answered + think - time.monotonic(), 0))
            self.submit(follower)

    def play(self):
        """Returns by how much a submission was late at most, in seconds."""
        begin, late = time.monotonic(), 0.0
        for index, job in enumerate(self.jobs):
            if "after" not in job:
                wait = begin + job["arrival_us"] / 1e6 - time.monotonic()
                late = max(late, -wait)
                time.sleep(max(wait, 0))
                self.submit(index)
        # A session that ends has begun those after it.
        while self.sessions:
            self.sessions.pop(0).join()
        for future in self.running:
            future.get()
        return late


def warm_up(sc, lineages):
    """Loads the executors' classes, so that the first tasks are as quick as the others."""
    sc.setJobGroup(WARM_UP, "warm-up")
    tasks = [100_000] * 2 * sc.defaultParallelism
    job = {"stages": [{"parents": [], "tasks_us": tasks}, {"parents": [0], "tasks_us": tasks}]}
    for _ in range(2):
        lineages.of(job).collect()


def main():
    parser = argparse.ArgumentParser(description="Plays a Fairlane scenario on a Spark cluster.")
    parser.add_argument("--master", help="Spark's master; spark-submit's own option does the same")
    parser.add_argument("--events", metavar="URI", help="folder of the event log")
    options = parser.parse_args()
    workload = json.loads(neighbour("workload.json").read_text(encoding="utf-8"))
    sc = SparkContext(conf=configured(workload, options))
    if sc.defaultParallelism != workload["cores"]:
        print(f"The cluster has {sc.defaultParallelism} cores, the scenario {workload['cores']}.", flush=True)
    lineages = Lineages(sc)
    warm_up(sc, lineages)
    rdds = [lineages.of(job) for job in workload["jobs"]]
    print(f"Plays {len(rdds)} jobs.", flush=True)
    begin = time.monotonic()
    late = Player(sc, workload["jobs"], rdds).play()
    print(f"Took {time.monotonic() - begin:.1f} s; submissions were at most {late:.3f} s late.")
    print(f"Event log: {sc.getConf().get('spark.eventLog.dir')}, {sc.applicationId}", flush=True)
    sc.stop()


if __name__ == "__main__":
    main()
