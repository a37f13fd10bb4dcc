"""Entropies of tables of counts in nats, and mutual information freed of the bias of small numbers.

See :mod:`pcf_core.stats.information` for the formulas and their sources.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pcf_core.records import FloatArray
from pcf_core.records.information import Normaliser

BLOCK = 100  # draws of clusters at a time, each with a table for every cluster


@dataclass(frozen=True)
class Measured:
    """[…] entropies of many tables in nats, 0 or more."""

    rows: FloatArray
    columns: FloatArray
    information: FloatArray

    def corrected(self, information: FloatArray) -> Measured:
        """The same margins with I freed of its bias, which they bound and which may lie below 0."""
        most = np.minimum(self.rows, self.columns)
        return replace(self, information=np.asarray(np.minimum(information, most)))

    def normalised(self, name: Normaliser) -> FloatArray:
        """[…] I normalised; 0 where a margin has no entropy."""
        below = {
            "arithmetic": (self.rows + self.columns) / 2,
            "joint": self.rows + self.columns - self.information,
            "minimum": np.minimum(self.rows, self.columns),
            "geometric": np.sqrt(self.rows * self.columns),
        }[name]
        return np.asarray(np.where(below > 0, self.information / np.where(below > 0, below, 1), 0.0))


def entropies_in(tables: FloatArray) -> Measured:
    """Entropies of […, category, group] tables, each with something in it: H = log n − Σ x log x / n."""
    n = tables.sum(axis=(-2, -1))
    rows, columns, joint = (
        np.maximum(np.log(n) - _weighted_logs(counts).sum(axis=-1) / n, 0.0)
        for counts in (
            tables.sum(axis=-1),
            tables.sum(axis=-2),
            tables.reshape(*tables.shape[:-2], -1),
        )
    )
    most = np.minimum(rows, columns)
    return Measured(rows, columns, np.asarray(np.clip(rows + columns - joint, 0.0, most)))


def miller_madow(table: FloatArray) -> float:
    rows, columns = table.shape
    return float(
        entropies_in(table).information + (rows + columns - (table > 0).sum() - 1) / (2 * table.sum())
    )


def jackknifed(tables: FloatArray) -> Measured:
    """With n I − (n − 1) · mean I without one text, each text of […, category, group] once.

    I without a text comes from sums of x log x.
    """
    n = tables.sum(axis=(-2, -1))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)

    def lost(counts: FloatArray) -> FloatArray:
        return _weighted_logs(counts) - _weighted_logs(np.maximum(counts - 1, 0))

    whole = _weighted_logs(tables).sum(axis=(-2, -1))
    whole = whole - _weighted_logs(rows).sum(axis=-1) - _weighted_logs(columns).sum(axis=-1)
    moved = lost(rows)[..., :, np.newaxis] + lost(columns)[..., np.newaxis, :] - lost(tables)
    sums = (tables * (whole[..., np.newaxis, np.newaxis] + moved)).sum(axis=(-2, -1)) / n
    information = n * (np.log(n) + whole / n) - (n - 1) * np.log(n - 1) - sums
    return entropies_in(tables).corrected(information)


def clusters_jackknifed(texts: FloatArray, members: NDArray[np.intp], times: FloatArray) -> Measured:
    """With I less Σ over groups of (k − 1) · (mean I without one of its k clusters − I), the group's share of
    all texts kept as it is.

    Args:
        texts: [cluster, category] texts of each, none of them without any.
        members: [cluster] its group, from 0.
        times: [draw, cluster] how often each counts, two or more of every group.
    """
    belongs = np.eye(int(members.max()) + 1)[members]
    tables = np.einsum("bx,xc,xa->bca", times, texts, belongs, optimize=True)
    measured = entropies_in(tables)
    bias = [
        _cluster_bias(tables[part], texts, belongs, times[part], measured.information[part])
        for part in (slice(start, start + BLOCK) for start in range(0, len(times), BLOCK))
    ]
    return measured.corrected(measured.information - np.concatenate(bias))


def _cluster_bias(
    tables: FloatArray, texts: FloatArray, belongs: FloatArray, times: FloatArray, information: FloatArray
) -> FloatArray:
    """[draw] how far I of [draw, category, group] tables is too large."""
    bias = np.zeros(len(times))
    for group in range(belongs.shape[1]):
        own = belongs[:, group] > 0
        counted, mine = times[:, own], tables[:, np.newaxis, :, group]
        left = np.where(counted[:, :, np.newaxis] > 0, np.maximum(mine - texts[own], 0.0), mine)
        without = np.repeat(tables[:, np.newaxis], own.sum(), axis=1)
        without[..., group] = left * (mine.sum(axis=-1) / left.sum(axis=-1))[..., np.newaxis]
        many = counted.sum(axis=1)
        mean = (counted * entropies_in(without).information).sum(axis=1) / many
        bias += (many - 1) * (mean - information)
    return bias


def _weighted_logs(counts: FloatArray) -> FloatArray:
    """x · log x, 0 where x is 0."""
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))
