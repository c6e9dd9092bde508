"""A callback for Lightning, as `lightning.pytorch` and as `pytorch_lightning`.

    from rooflab.lightning import RooflabCallback
    Trainer(callbacks=[RooflabCallback(every=50)])
"""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from rooflab.errors import Error
from rooflab.training_meter import TrainingMeter

LIBRARIES = ("lightning.pytorch", "pytorch_lightning")


def _callback_class() -> type:
    """That of the library that the program has imported, else of the one that is installed."""
    for name in sorted(LIBRARIES, key=lambda name: name not in sys.modules):
        try:
            return import_module(name).Callback
        except ImportError:
            continue
    raise Error("Lightning is not installed", "pip install lightning")


class RooflabCallback(_callback_class()):  # type: ignore[misc]
    """Says at the first training step whether it fits and how long it should take, and logs
    `rooflab/mfu`, `rooflab/step_time_s` and `rooflab/samples_per_s` every N steps.

    The arguments are those of rooflab.training_meter.TrainingMeter.
    """

    def __init__(self, **settings: Any):
        super().__init__()
        self.meter = TrainingMeter(**settings)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int,
                             *_more: Any) -> None:
        if trainer.is_global_zero:
            self.meter.step_begins()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any,
                           batch_idx: int, *_more: Any) -> None:
        if trainer.is_global_zero:
            figures = self.meter.step_ends()
            if figures:
                pl_module.log_dict(figures, rank_zero_only=True)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.meter.broken_off(exception)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.meter.broken_off()
