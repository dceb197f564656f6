"""The fields of a frozen value by name, for JSON that is written at once."""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def fields_of(value: "DataclassInstance") -> dict[str, Any]:
    """Name -> value of each field of a dataclass, in their order, and the values themselves.

    `dataclasses.asdict` copies each value in depth. That takes longer than to write the JSON, and a value that nobody
    changes needs no copy.
    """
    return {name: getattr(value, name) for name in _names(type(value))}


@cache
def _names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))
