"""A trace of jax.profiler on the CPU:  jax_trace.py train FOLDER"""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp

from truths import tell, tell_versions

BATCH, WIDTH, HIDDEN, CLASSES, STEPS = 4, 32, 64, 10, 3


def loss(weights, inputs, labels):
    hidden = jax.nn.gelu(inputs @ weights["first"])
    chances = jax.nn.log_softmax(hidden @ weights["second"])
    return -chances[jnp.arange(BATCH), labels].mean()


@jax.jit
def step(weights, inputs, labels):
    value, gradients = jax.value_and_grad(loss)(weights, inputs, labels)
    return jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients), value


def train(folder):
    keys = jax.random.split(jax.random.key(0), 4)
    weights = {
        "first": jax.random.normal(keys[0], (WIDTH, HIDDEN)),
        "second": jax.random.normal(keys[1], (HIDDEN, CLASSES)),
    }
    inputs = jax.random.normal(keys[2], (BATCH, WIDTH))
    labels = jax.random.randint(keys[3], (BATCH,), 0, CLASSES)
    step(weights, inputs, labels)[1].block_until_ready()
    with jax.profiler.trace(str(folder / "jax")):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                weights, value = step(weights, inputs, labels)
                value.block_until_ready()
    for ending in (".trace.json.gz", ".xplane.pb"):
        [one] = (folder / "jax").rglob(f"*{ending}")
        file = f"jax-train{ending}"
        one.rename(folder / file)  # its name has the host
        tell(file, "steps", STEPS, "the program")
        # The first product has no data gradient: nobody asks for that of the inputs.
        tell(
            file,
            "matrix_flop",
            STEPS * 2 * BATCH * (2 * WIDTH * HIDDEN + 3 * HIDDEN * CLASSES),
            "formula",
        )
        tell(file, "batch", BATCH, "the program")
        tell(file, "phase", "training", "the program")
        tell_versions(file, "jax", "jaxlib")


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
