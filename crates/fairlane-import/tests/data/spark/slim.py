#!/usr/bin/env python3
"""Makes a recorded event log small: leaves away the events and fields that neither an import nor a test reads, and
changes no time.

    gzip -dc app.gz | tests/data/spark/slim.py | gzip -9n > slim.gz
"""
import json
import sys

# Events that an import only counts.
LEFT_OUT = {
    "SparkListenerDriverAccumUpdates", "SparkListenerTaskGettingResult", "SparkListenerSQLAdaptiveSQLMetricUpdates",
    "SparkListenerStageExecutorMetrics", "SparkListenerExecutorMetricsUpdate",
}
# Fields that stay as empty texts, objects and lists.
EMPTY = {
    "Details": "", "details": "", "physicalPlanDescription": "", "modifiedConfigs": "", "sparkPlanInfo": {},
    "Accumulables": [],
}
# What stays of an object.
KEPT = {
    "Task Metrics": {
        "Executor Deserialize Time", "Executor Run Time", "Peak Execution Memory", "Result Serialization Time",
    },
    "Properties": {
        "user", "user.name", "spark.scheduler.pool", "spark.jobGroup.id", "spark.job.description", "spark.job.tags",
        "spark.sql.execution.id", "spark.sql.execution.root.id",
    },
    "Spark Properties": {
        "spark.app.name", "spark.master", "spark.scheduler.mode", "spark.scheduler.allocation.file",
        "spark.serializer.objectStreamReset", "spark.sql.adaptive.enabled", "spark.sql.files.maxPartitionBytes",
        "spark.sql.shuffle.partitions", "spark.submit.deployMode", "spark.submit.pyFiles",
    },
    "RDD Info": {"RDD ID", "Name", "Parent IDs", "Barrier"},
}
# Other parts of an event.
DROPPED = {
    "JVM Information", "Hadoop Properties", "System Properties", "Metrics Properties", "Classpath Entries",
    "Task Executor Metrics",
}


def slim(value, name=None):
    if name in EMPTY:
        return EMPTY[name]
    if isinstance(value, dict):
        kept = KEPT.get(name, value.keys() - DROPPED)
        return {key: slim(part, key) for key, part in value.items() if key in kept}
    if isinstance(value, list):
        # The first RDD of a stage identifies what it computes.
        return [slim(part, name) for part in (value[:1] if name == "RDD Info" else value)]
    return value


for line in sys.stdin:
    event = json.loads(line)
    if event["Event"].rsplit(".", 1)[-1] not in LEFT_OUT:
        print(json.dumps(slim(event), separators=(",", ":"), ensure_ascii=False))
