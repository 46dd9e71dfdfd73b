#!/usr/bin/env python3
"""Compresses a text by one of Spark's own codecs, as it writes an event log. Needs PySpark.

    tests/data/spark/pack.py snappy slim.json slim.snappy
"""
import sys

from pyspark import SparkContext

codec, text, packed = sys.argv[1:]
spark = SparkContext("local[1]", "pack")
java = spark._jvm
codecs = java.org.apache.spark.io.CompressionCodec
stream = codecs.createCodec(spark._jsc.sc().conf(), codec).compressedContinuousOutputStream(
    java.java.io.FileOutputStream(packed))
with open(text, "rb") as file:
    stream.write(file.read())
stream.close()
spark.stop()
