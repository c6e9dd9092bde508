"""An object of the program's JSON, whose keys are attributes too."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def wrap(value: Any) -> Any:
    """Objects as Fields, arrays as lists of what they hold, everything else as it is."""
    if isinstance(value, dict):
        return Fields(value)
    if isinstance(value, list):
        return [wrap(item) for item in value]
    return value


class Fields(Mapping):
    """Read-only. `memory.total_bytes` is `memory["total_bytes"]`; docs/formats has the keys."""

    def __init__(self, data: Mapping[str, Any]):
        self._data = dict(data)

    def __getitem__(self, key: str) -> Any:
        return wrap(self._data[key])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"no field '{name}'; there are: {', '.join(self.__dir__())}")
        return wrap(self._data[name])

    def __dir__(self) -> list[str]:
        return sorted(str(key) for key in self.__dict__.get("_data", {}))

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __repr__(self) -> str:
        return f"Fields({self._data!r})"

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries and lists."""
        return dict(self._data)
