"""``export``, ``sign`` and ``verify``: write runs, reports and packs as files, sign and check a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcf_core.audit.options import PageOptions, ViewOptions
from pcf_core.audit.policy import PACK as PACK_ENDING
from pcf_core.audit.policy import read_policy
from pcf_core.audit.results import Results
from pcf_core.cli.console import (
    JsonOption,
    View,
    give,
    must_record,
    one_of,
    open_store,
    option_of,
    record,
    say,
    with_options,
    with_view,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.cli.packs import write_pack
from pcf_core.core.errors import InputError
from pcf_core.core.options import declared
from pcf_core.core.settings import settings
from pcf_core.material.evidence import occupation_weights
from pcf_core.material.safety.understood import Reading
from pcf_core.report.documents import export_run
from pcf_core.report.files import check_target, write_whole
from pcf_core.report.records import NONE, SECTIONS, SHORT, ReportDocument, ReportRequest, day_of
from pcf_core.report.signoff import Decided
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT

if TYPE_CHECKING:  # plotly and pandas: most commands draw nothing
    from pcf_core.report.signoff import SignOffCheck
    from pcf_core.report.verifying import Verification

FORMS = ("csv", "parquet", "json", "html", "card")
PACK, EVERY_EVAL = "pack", "every-eval"
ZIP = ".zip"
ENDINGS = {**{f".{form}": form for form in FORMS[:-1]}, ".md": "card", PACK_ENDING: PACK}
OVER = declared(PageOptions)["over"]
OverOption = Annotated[str, option_of(OVER)]
OF_REPORT = declared(ReportRequest)
NAMED = {"short": tuple(SHORT), "all": tuple(SECTIONS)}
MOST_LINES = 20
DIFFERS = 1


@with_view
@with_files
def export(
    out: Annotated[Path, typer.Option(help="the file to write")],
    runs: Annotated[
        list[str] | None, typer.Argument(help="run keys, or at least their first six digits")
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="csv, parquet, json, html, card, pack or every-eval; by default as the name of --out ends",
        ),
    ] = "",
    sections: Annotated[
        str,
        typer.Option(
            help="a report with these sections: short (two pages; the default for HTML), all, or "
            + ", ".join(SECTIONS)
        ),
    ] = "",
    fairpair: Annotated[
        list[str] | None, typer.Option(help="the key of a FairPair request; may be repeated")
    ] = None,
    criteria: Annotated[
        list[str] | None, typer.Option(help="the key of a criteria request; may be repeated")
    ] = None,
    knowledge: Annotated[list[str] | None, typer.Option(help="a knowledge set; may be repeated")] = None,
    over: OverOption = OVER.default,
    policy: Annotated[
        Path | None,
        typer.Option(help="a TOML file of limits (docs/gate.md): the report says whether they are kept"),
    ] = None,
    date: Annotated[str, option_of(OF_REPORT["date"])] = "",
    elsewhere: Annotated[list[str] | None, option_of(OF_REPORT["elsewhere"])] = None,
    purpose: Annotated[str, option_of(OF_REPORT["purpose"])] = "",
    mappings: Annotated[list[str] | None, option_of(OF_REPORT["mappings"])] = None,
    by: Annotated[
        str, typer.Option("--by", help="of a pack or every-eval: who made it, as others shall read it")
    ] = "",
    relationship: Annotated[
        str,
        typer.Option(
            help="of every-eval: first_party, third_party, collaborative or other: who evaluates whose model"
        ),
    ] = "",
    schema: Annotated[
        Path | None,
        typer.Option(
            help="for every-eval: the public eval.schema.json, or a folder with it and "
            "instance_level_eval.schema.json, against which the files are checked"
        ),
    ] = None,
    licence: Annotated[str, typer.Option(help="of a pack: under what licence the scores are given on")] = "",
    sign: Annotated[
        Path | None, typer.Option(help="for a pack: an SSH key file, with which ssh-keygen signs it")
    ] = None,
    *,
    view: View,
    reading: Reading,
) -> None:
    """Write a run as one row per occupation × template × group, a report of runs and text audits, or a pack.

    A report is written for the formats html and card, for several runs, and with --sections or text audits.
    Its tables as CSV or Parquet are written as one ZIP.  With a pack other people can read the runs, and the
    results of FairPair and the criteria, on their own computers.
    """
    form = form_of(form, out)
    options = view.options()
    store, keys = open_store(), runs or []
    audits = [*(fairpair or []), *(criteria or []), *(knowledge or [])]
    of_report = policy or date or elsewhere or purpose or mappings
    if form == PACK:
        if sections or knowledge or of_report:
            raise InputError(
                "A pack has runs and results of FairPair and of the criteria: leave out --sections, "
                "--policy, --knowledge, --date, --elsewhere, --purpose and --mapping."
            )
        if flags := [*view.flags, *([OVER.flag] if over != OVER.default else [])]:
            raise InputError(
                "A pack has all scores, and its readers choose the reading options themselves: leave out "
                f"{', '.join(flags)}."
            )
        end_reading(reading)
        write_pack(store, keys, out, by, licence, sign, fairpair=fairpair or (), criteria=criteria or ())
        return
    if licence or sign or (by and form != EVERY_EVAL):
        raise InputError("--by, --licence and --sign are for --format pack: leave them out, or write a pack.")
    if (relationship or schema) and form != EVERY_EVAL:
        raise InputError("--relationship and --schema are for --format every-eval: leave them out.")
    in_one_file = len(keys) == 1 and not (sections or audits or of_report)
    if form in ("csv", "parquet"):
        _check_zipped(out, form, zipped=not in_one_file)
    for key in keys:
        occupation_weights(store.load_run(key).evidence, options.occupation_weights)
    end_reading(reading)
    if in_one_file and form in ("csv", "parquet", "json"):
        _export_one(store, keys[0], options, view.protocol, out, form)
        return
    if form == EVERY_EVAL:
        if not in_one_file:
            raise InputError("--format every-eval writes one run, and no sections or text audits: name one.")
        _export_every_eval(store, keys[0], view, over, out, by, relationship or "third_party", schema)
        return
    request = ReportRequest(
        runs=tuple(store.load_run(key).key for key in keys),
        sections=NAMED.get(sections or ("short" if form == "html" and keys else "all"))
        or tuple(name.strip() for name in sections.split(",") if name.strip()),
        options=options.model_dump() | {"protocol": view.protocol},
        over=one_of(over, OVER.flag, OVER.offered),
        fairpair=tuple(fairpair or ()),
        criteria=tuple(criteria or ()),
        knowledge=tuple(knowledge or ()),
        policy=read_policy(policy) if policy else None,
        date=day_of(date),
        elsewhere=tuple(store.load_run(key).key for key in elsewhere or () if key != NONE),
        purpose=purpose,
        mappings=tuple(mappings or ()),
    )
    if not elsewhere:
        from pcf_core.report.whole import keys_in_other_sentences  # plotly and pandas

        request = request.model_copy(update={"elsewhere": keys_in_other_sentences(store, request)})
    check_target(out)
    data = file_bytes(document_of(store, request), form)
    write_whole(out, lambda path: path.write_bytes(data))
    record("exported", "report", " ".join((out.name, *request.runs, *request.fairpair, *request.criteria)))
    say(f"wrote {out}")


def form_of(name: str, out: Path) -> str:
    """Return the format to write: that of ``--format``, or by default of the file's ending.

    A name without an ending stands for CSV, and one in ``.zip`` for tables as CSV.
    """
    ending = out.suffix.lower()
    if not name:
        if ending in ("", ZIP):
            return "csv"
        if ending in ENDINGS:
            return ENDINGS[ending]
        raise InputError(
            f"The name {out.name[:200]!r} does not determine a format: let --out end in "
            f"{', '.join((*ENDINGS, ZIP))}, or give --format."
        )
    form = str(one_of(name, "--format", (*FORMS, PACK, EVERY_EVAL)))
    if form == EVERY_EVAL:
        if ending != ".json":
            raise InputError(
                f"--format every-eval writes JSON: let --out end in .json; got {out.name[:200]!r}."
            )
        return form
    own = [one for one, meant in ENDINGS.items() if meant == form] + [ZIP] * (form in ("csv", "parquet"))
    if ending in (*ENDINGS, ZIP) and ending not in own:
        raise InputError(
            f"--format {form} does not match the name {out.name[:200]!r}: let --out end in "
            f"{' or '.join(own)}, or leave out --format."
        )
    return form


def _check_zipped(out: Path, form: str, *, zipped: bool) -> None:
    """Raise InputError if the name is that of one table but a ZIP is written, or the reverse."""
    ending = out.suffix.lower()
    if zipped and ending in ENDINGS:
        raise InputError(
            f"The tables of a report are written as one ZIP, but --out is {out.name[:200]!r}: let it end in "
            f"{ZIP}."
        )
    if not zipped and ending == ZIP:
        raise InputError(
            f"The cells of one run are a single table, not a ZIP: let --out end in .{form}, or add "
            "--sections for the tables of a report."
        )


def _export_one(store: Store, key: str, options: ViewOptions, protocol: str, out: Path, form: str) -> None:
    spec = store.load_run(key)
    options = options.model_copy(update={"protocol": protocol or spec.scoring.protocol})
    item = Results(store).report(spec, options)
    for path in export_run(spec, item.result.preferences, item.report, out, form):
        say(f"wrote {path}")
    record("exported", "run", f"{out.name} {spec.key}")


def _export_every_eval(
    store: Store, key: str, view: View, over: str, out: Path, by: str, relationship: str, schema: Path | None
) -> None:
    from pcf_core.report.exchange import write_every_eval

    spec = store.load_run(key)
    options = view.options().model_copy(update={"protocol": view.protocol or spec.scoring.protocol})
    item, info = Results(store).report(spec, options), store.run_info(spec.key)
    drawn = one_of(over, OVER.flag, OVER.offered)
    for path in write_every_eval(
        item, options, drawn, info, out, by=by, relationship=relationship, schema=schema
    ):
        say(f"wrote {path}")
    record("exported", "run", f"{out.name} {spec.key}")


def document_of(store: Store, request: ReportRequest) -> ReportDocument:
    """Write the report of a request, with the text audits that it names."""
    from pcf_core.report.whole import write_report  # plotly and pandas: most commands draw nothing

    return write_report(store, request, kept_texts(store, request))


def kept_texts(store: Store, request: ReportRequest) -> Any:
    """Load the finished results of a request's text audits; those that are missing are left out."""
    from pcf_core.report.whole import Texts

    fairpairs = (FAIRPAIR_AUDIT.load(store, key) for key in request.fairpair)
    criteria = (CRITERIA_AUDIT.load(store, key) for key in request.criteria)
    return Texts(tuple(filter(None, fairpairs)), tuple(filter(None, criteria)))


def file_bytes(document: ReportDocument, form: str) -> bytes:
    """Write a report as the file of a format of :data:`FORMS`."""
    from pcf_core.report.written import html_bytes, model_card, report_bytes, tables_archive

    if form == "html":
        return html_bytes(document)
    if form == "card":
        return model_card(document).encode()
    if form == "json":
        return report_bytes(document)
    return tables_archive(document, one_of(form, "--format", FORMS))


@with_files
def verify(
    file: Annotated[Path, typer.Argument(help="a JSON report, as written by export or the page Report")],
    weights: Annotated[
        str | None, typer.Option(help="the file of weights with which the report was made")
    ] = None,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> int:
    """Calculate a report's numbers again from the cache and list differences: exit 0 without any, else 1."""
    from pcf_core.report.signoff import check_signoff
    from pcf_core.report.verifying import verify_report
    from pcf_core.report.written import read_report

    data = report_data(file)
    reported = read_report(data)
    signed = check_signoff(file, data, settings().signers)
    store = open_store()
    verification = verify_report(store, reported, kept_texts(store, reported.request), weights)
    if not verification.problem:  # which may be a question that the file leaves open
        end_reading(reading, as_json=as_json)

    def lines() -> list[str]:
        versions = [
            f"{name}: the report was written with {then}, and is being checked with {now}"
            for name, (then, now) in verification.versions.items()
        ]
        return [
            *versions,
            *result_lines(verification, bool(reported.runs)),
            *(signoff_lines(signed) if signed else []),
        ]

    holds = verification.holds and (signed is None or signed.matches)
    document = verification.model_dump(mode="json") | {
        "signoff": signed and signed.model_dump(mode="json"),
        "holds": holds,
    }
    give(document, as_json, lines)
    return 0 if holds else DIFFERS


@with_options(Decided)
def sign(
    report: Annotated[Path, typer.Argument(help="a JSON report, as written by export or the page Report")],
    key: Annotated[
        Path | None, typer.Option(help="an SSH key file, with which ssh-keygen signs the statement")
    ] = None,
    print_to: Annotated[
        Path | None,
        typer.Option(
            "--print", help="also write the report to this HTML file, with the sign-off as its first page"
        ),
    ] = None,
    *,
    options: Decided,
) -> None:
    """State who decided what on a report, in a file beside it that verify checks; leave it as it is."""
    from pcf_core.report.signoff import make_statement, write_signoff
    from pcf_core.report.written import html_bytes, read_report

    data = report_data(report)
    document = read_report(data)
    statement = make_statement(data, options, key)
    if print_to is not None:
        check_target(print_to)
    must_record()
    record("signed", "report", f"{report.name} {statement.decision} {statement.report}")
    say(f"wrote {write_signoff(report, statement)}")
    if print_to is not None:
        page = html_bytes(document, statement.lines)
        write_whole(print_to, lambda path: path.write_bytes(page))
        say(f"wrote {print_to}")


def report_data(file: Path) -> bytes:
    """Read the bytes of a report."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}): give the path of a report.") from error


def signoff_lines(check: SignOffCheck) -> list[str]:
    """Print a statement beside a report, and whether it is about these bytes."""
    if not check.matches:
        return [
            "The sign-off beside this report is about other contents: the report was changed after it was "
            "signed. Sign it again."
        ]
    return [
        f"Sign-off ({check.signature}):",
        *(f"  {label}: {text}" for label, text in check.statement.lines.items()),
    ]


def result_lines(verification: Verification, of_runs: bool) -> list[str]:
    """Print the outcome; of a report without runs nothing is calculated again."""
    if verification.problem:
        return [f"The report cannot be calculated again. {verification.problem}"]
    if verification.holds:
        how = "calculated again" if of_runs else "compared with the stored results of its text audits"
        return [f"The report is unchanged: {verification.compared:,} texts and numbers were {how}."]
    shown = [
        f"{one.path}: reported {one.reported!r}, recomputed {one.recomputed!r}"
        for one in verification.differences[:MOST_LINES]
    ]
    more = verification.different - len(shown)
    return [
        f"{verification.different:,} of {verification.compared:,} texts and numbers differ.",
        *shown,
        *([f"… and {more:,} more; --json lists up to a thousand."] if more > 0 else []),
    ]
