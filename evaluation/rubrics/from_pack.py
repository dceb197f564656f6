"""A rubric in another language: the lists that it takes from a language pack are those of another pack."""

from collections.abc import Mapping

from evaluation.languages.pack import Pack
from evaluation.records import Json
from evaluation.rubrics.pack_lists import FromPack
from evaluation.rubrics.rubric import CueUse, Metric, Rubric

__all__ = ["FromPack", "in_language"]  # who reads such a rubric tells a pack's list from one that is written out


def in_language(rubric: Rubric, pack: Pack) -> Rubric:
    """The rubric with the lists of another pack in the place of those that come from one; what is written out stays."""
    metrics = {name: _metric_in(metric, pack) for name, metric in rubric.metrics.items()}
    cues = {
        name: guide.model_copy(update={"settings": _settings_in(guide.settings, pack)})
        for name, guide in rubric.cues.items()
    }
    return rubric.model_copy(update={"metrics": metrics, "cues": cues})


def _metric_in(metric: Metric, pack: Pack) -> Metric:
    return metric.model_copy(
        update={
            "lists": _settings_in(metric.lists, pack),
            "constants": None if metric.constants is None else _settings_in(metric.constants, pack),
            "adjustments": tuple(
                _use_in(each, pack).model_copy(
                    update={
                        "requires": tuple(_use_in(condition, pack) for condition in each.requires),
                        "unless": tuple(_use_in(condition, pack) for condition in each.unless),
                    }
                )
                for each in metric.adjustments
            ),
        }
    )


def _use_in(use: CueUse, pack: Pack) -> CueUse:
    return use.model_copy(update=_settings_in(use.model_extra or {}, pack))


def _settings_in(settings: Mapping[str, Json], pack: Pack) -> dict[str, Json]:
    return {
        key: FromPack.of(value.name, pack) if isinstance(value, FromPack) else value for key, value in settings.items()
    }
