"""The size and the terms of weights before they are downloaded, from the assets; nothing is requested."""

from __future__ import annotations

from pcf_core.core.errors import InputError, ModelError
from pcf_core.core.records import Record
from pcf_core.core.settings import settings
from pcf_core.models.hub import is_cached
from pcf_core.models.names import OPEN_SOURCE, known_model, require_allowed, split_name
from pcf_core.models.public import public_model
from pcf_core.models.registry import resolve

LEAST_BYTES = 2  # of a weight in half precision, the usual one


class Offer(Record):
    """Weights that can be downloaded.

    ``bytes``: 0 if not declared; ``at_least``: counted as two bytes a weight.  ``license``: empty if unknown;
    ``terms``: its address, empty for open source.  ``packages``: as pip takes them; empty for the hub.
    """

    name: str
    bytes: int
    at_least: bool
    license: str
    terms: str
    packages: tuple[str, ...] = ()

    @property
    def size(self) -> str:
        """The size, such as "98 MB"."""
        if not self.bytes:
            return "of unknown size"
        gigabytes = self.bytes >= 10**9
        size = f"{self.bytes / 1e9:,.1f} GB" if gigabytes else f"{self.bytes / 1e6:,.0f} MB"
        return f"{size} or more" if self.at_least else size

    @property
    def source(self) -> str:
        """Where it comes from."""
        return ", ".join(self.packages) or "the model hub"

    @property
    def sentence(self) -> str:
        """Size, source and licence in one sentence."""
        licensed = self.license or f"we have not read it; it is on {self.terms}"
        where = "in" if self.packages else "from"
        return f"{self.name}: {self.size} {where} {self.source}; licence: {licensed}."


def offer_of(name: str) -> Offer:
    """Return the offer of a public model or a hub model, or raise ModelError."""
    public = public_model(name)
    if public is not None:
        return Offer(
            name=public.name,
            bytes=public.bytes,
            at_least=False,
            license=public.license,
            terms=public.terms,
            packages=public.packages,
        )
    named = split_name(name)
    if not named.is_hub_id:
        raise ModelError(
            f"{name!r} cannot be downloaded: choose a public model of the list, or a hub id such as "
            "openai-community/gpt2."
        )
    listed = known_model(named.model)
    card = f"https://huggingface.co/{named.model}"
    if listed is None:
        return Offer(name=name, bytes=0, at_least=True, license="", terms=card)
    open_source = listed.license in OPEN_SOURCE
    return Offer(
        name=name,
        bytes=LEAST_BYTES * listed.parameters,
        at_least=True,
        license=listed.license,
        terms="" if open_source else listed.terms or card,
    )


def is_here(name: str) -> bool:
    """Tell whether the weights of a public or hub model are on this machine; nothing is requested."""
    public = public_model(name)
    if public is not None:
        return bool(public.located)
    try:
        return is_cached(name) and bool(resolve(name).path)
    except ModelError:  # incomplete files
        return False


def require_fetchable(offer: Offer, accepted: bool) -> None:
    """Check that a model may be downloaded and its terms are accepted.

    Raises ModelError if the model or downloads are not allowed, InputError without accepted terms.
    """
    require_allowed(offer.name)
    if not offer.packages and not settings().allow_hub:
        raise ModelError(
            f"The weights of {offer.name} cannot be downloaded, because downloads are off: switch "
            "PCF_ALLOW_HUB on, or copy its files to a folder and give that folder."
        )
    if offer.terms and not accepted:
        raise InputError(
            f"{offer.name} has its own terms: read {offer.terms}, and if you accept them, add --accept-terms."
        )
