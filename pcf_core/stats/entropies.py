"""Entropies of tables of counts in nats, and mutual information freed of the bias of small numbers.

See :mod:`pcf_core.stats.information` for the formulas and their sources.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcf_core.records import FloatArray
from pcf_core.records.information import Normaliser


@dataclass(frozen=True)
class Measured:
    """[…] entropies of many tables in nats, 0 or more."""

    rows: FloatArray
    columns: FloatArray
    information: FloatArray

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


def jackknifed(table: FloatArray) -> float:
    """n I − (n − 1) · mean I without one text, from sums of x log x, each text once."""
    n = float(table.sum())
    rows, columns = table.sum(axis=1), table.sum(axis=0)

    def lost(counts: FloatArray) -> FloatArray:
        return _weighted_logs(counts) - _weighted_logs(np.maximum(counts - 1, 0))

    whole = sum(sign * _weighted_logs(part).sum() for sign, part in ((1, table), (-1, rows), (-1, columns)))
    sums = whole - lost(table) + lost(rows)[:, np.newaxis] + lost(columns)
    without = np.log(n - 1) + sums / (n - 1)
    return float(n * (np.log(n) + whole / n) - (n - 1) * (table * without).sum() / n)


def _weighted_logs(counts: FloatArray) -> FloatArray:
    """x · log x, 0 where x is 0."""
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))
