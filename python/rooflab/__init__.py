"""Rooflab: what a PyTorch step computes, how fast it will run, and whether it fits.

    import rooflab
    rooflab.summary(model, x)                                   # FLOPs, bytes, memory, by layer
    rooflab.predict(model, x, device="t4", phase="training").fits
    rooflab.compare(step)                                       # predicted and measured, here

The package needs the program `rooflab` (the environment variable ROOFLAB, PATH, or a build folder
of the checkout) and, to record steps, PyTorch. It imports PyTorch when it uses it.
"""
from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rooflab.comparison import Comparison, compare
    from rooflab.configured import ConfiguredModel, from_config
    from rooflab.device_peak import Peak, mfu, peak
    from rooflab.errors import Error, RecordingError
    from rooflab.monitoring import Monitor, monitor
    from rooflab.predictions import Prediction, Predictions, predict
    from rooflab.profiling import Profile, profile, window
    from rooflab.recorder import Recorder, record
    from rooflab.recording import Recording
    from rooflab.summaries import Summary, summary

    __version__: str

_HOMES = {
    "comparison": ("Comparison", "compare"),
    "configured": ("ConfiguredModel", "from_config"),
    "device_peak": ("Peak", "mfu", "peak"),
    "errors": ("Error", "RecordingError"),
    "monitoring": ("Monitor", "monitor"),
    "predictions": ("Prediction", "Predictions", "predict"),
    "profiling": ("Profile", "profile", "window"),
    "recorder": ("Recorder", "record"),
    "recording": ("Recording",),
    "summaries": ("Summary", "summary"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF, "__version__"]


def __getattr__(name: str) -> Any:
    """Imports what is used when it is used: `import rooflab` alone is quick."""
    if name == "__version__":
        from rooflab._version import version

        value: Any = version()
    elif name in _HOME_OF:
        value = getattr(import_module(f"rooflab.{_HOME_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'rooflab' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if "ROOFLAB_PROFILE" in os.environ:  # this program runs under `rooflab profile`
    from rooflab import _op_teller

    _op_teller.watch()
