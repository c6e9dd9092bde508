"""The formula of the weights (docs/formats/worker.md, workers/torch/weights.cpp)."""

import numpy as np


def uniform(name, count):
    hash_ = 14695981039346656037
    for byte in name.encode():
        hash_ = ((hash_ ^ byte) * 1099511628211) % 2**64
    with np.errstate(over="ignore"):
        z = np.arange(count, dtype=np.uint64) + np.uint64(hash_) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(40)).astype(np.float64) / 8388608.0 - 1.0
