"""A callback for the Trainer of Hugging Face's transformers.

    from rooflab.huggingface import RooflabCallback
    Trainer(..., callbacks=[RooflabCallback(every=50)])
"""
from __future__ import annotations

from typing import Any

from rooflab.errors import Error
from rooflab.training_meter import TrainingMeter

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise Error("transformers is not installed", "pip install transformers") from error


class RooflabCallback(TrainerCallback):
    """Says at the first training step whether it fits and how long it should take, and adds
    `rooflab/mfu`, `rooflab/step_time_s` and `rooflab/samples_per_s` to what the Trainer logs.

    A step is one of the optimizer, with all the micro-batches that it accumulates. The arguments
    are those of rooflab.training_meter.TrainingMeter.
    """

    def __init__(self, **settings: Any):
        self.meter = TrainingMeter(**settings)

    def on_step_begin(self, args: Any, state: Any, control: Any, **_kwargs: Any) -> None:
        if state.is_world_process_zero:
            self.meter.step_begins(batch=args.train_batch_size * args.gradient_accumulation_steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **_kwargs: Any) -> None:
        if state.is_world_process_zero:
            self.meter.step_ends()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None,
               **_kwargs: Any) -> None:
        # The Trainer put a copy of `logs` into its history before it called the callbacks.
        if state.is_world_process_zero and self.meter.figures:
            for log in (logs, state.log_history[-1] if state.log_history else None):
                if log is not None:
                    log.update(self.meter.figures)

    def on_train_end(self, args: Any, state: Any, control: Any, **_kwargs: Any) -> None:
        self.meter.broken_off()
