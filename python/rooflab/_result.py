"""What every result can do: print, show in a notebook, become data."""
from __future__ import annotations

import copy
import html
from collections.abc import Mapping, Sequence
from typing import Any

from rooflab.errors import Error


def data_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a pandas.DataFrame. Raises Error without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise Error("to_dataframe() needs pandas, which is not installed",
                    "pip install pandas, or use to_dict()") from error
    return pandas.DataFrame([dict(row) for row in rows])


class Result:
    """A result of the program: its JSON (`to_dict()`) and its text (`str(result)`)."""

    def __init__(self, data: dict[str, Any], text: str):
        self._data = data
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return ('<pre style="line-height: 1.2; overflow-x: auto; white-space: pre">'
                f"{html.escape(str(self))}</pre>")

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the program as dictionaries and lists; docs/formats describes the keys."""
        return copy.deepcopy(self._data)

    def rows(self) -> list[Mapping[str, Any]]:
        """The rows of the result's table."""
        raise NotImplementedError

    def to_dataframe(self) -> Any:
        """The rows as a pandas.DataFrame, one column for each key. Raises Error without pandas."""
        return data_frame(self.rows())

    def figures(self) -> dict[str, float]:
        """The figures that a baseline keeps, by name (baseline.py)."""
        raise NotImplementedError


def texts_of(notes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The texts of the program's notes, each once."""
    return list(dict.fromkeys(note["text"] for note in notes))
