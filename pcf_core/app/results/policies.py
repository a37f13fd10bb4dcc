"""Policies on pages: the operator's, one uploaded by an auditor, and the verdicts on the models shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import with_asked
from pcf_core.app.data import Loaded, must_wait
from pcf_core.app.own import upload_file
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_both_commands,
    draw_cite,
    draw_notes,
    draw_table,
    draw_tabs,
    finding,
)
from pcf_core.app.roles import may_audit
from pcf_core.app.scoring import Wanted, follow_readings, offer_scoring
from pcf_core.app.widgets import draw_facts, plain, plain_titled
from pcf_core.audit.gate import GateReport
from pcf_core.audit.policy import MAX_BYTES, Policy, policies_in, read_policy, uploaded_policy
from pcf_core.audit.stored_verdicts import StoredVerdicts, planned_runs, stored_verdicts
from pcf_core.core.errors import AuditError
from pcf_core.core.run import Protocol, RunSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.report.reproducing import afresh
from pcf_core.report.sections.policy import (
    HOW,
    keys_of,
    limits_table,
    policy_commands,
    policy_panel,
    verdict_rows,
)
from pcf_core.show.findings.gate import unscored_note

BROUGHT = "policy_brought"  # session key: the uploaded policy
YOURS = "your file"
EXAMPLE = """\
title = "Before release"
error = 0.05            # the chance of any wrong verdict
cannot_tell = "warn"    # pass, warn or fail

[[contexts]]
topic = "gender"
max = { risk = 0.5, caprice = 0.2 }
max_tilt = { male = 0.3 }
"""
WHAT = (
    "A policy is a list of limits for a model, such as a risk of at most 0.5. For each model, this view "
    "says whether it keeps the limits, exceeds one, or whether we cannot tell."
)
HELP = "A TOML file with limits for a model. Nothing in it is executed, and files that it names are not read."


def choose_policy(key: str, first: Sequence[str] = ()) -> Policy | None:
    """Draw the choice of a policy, options in ``first`` before, and an upload; return the chosen one."""
    policies = policies_in(settings().policies)
    brought: Policy | None = st.session_state.get(BROUGHT)
    names = [*first, *([YOURS] if brought else []), *policies]
    if from_address := with_asked(key, names):
        name = st.selectbox(
            "Policy",
            from_address,
            key=key,
            bind="query-params",
            help="The limits for a model. A link to this page names the operator's policies; your own file "
            "stays in this session.",
        )
    else:
        name = ""
    _draw_upload(key, expanded=not from_address)
    if name in first:
        return None
    if name == YOURS and brought:
        return brought
    if name in policies:
        try:
            return read_policy(policies[name])
        except AuditError as error:
            st.error(plain(str(error)), icon=":material/error:")
    elif name:
        st.warning(f"There is no policy **{plain(name)}** here: choose another.", icon=":material/warning:")
    return None


def _draw_upload(key: str, *, expanded: bool) -> None:
    """Draw the upload for auditors; ``expanded`` if there is nothing else."""
    if not may_audit():
        return
    with st.expander("Upload your own policy", icon=":material/gavel:", expanded=expanded):
        st.caption("An example; docs/gate.md lists everything that a policy can contain.")
        st.code(EXAMPLE, language=None)
        upload_file("Policy file", [".toml"], 1, f"{key}_file", HELP, partial(_take, key))
        if message := st.session_state.get(f"{key}_said"):
            st.error(plain(message), icon=":material/error:")


def _take(key: str) -> None:
    """Read the uploaded file and choose it; the error is shown below the field."""
    state = st.session_state
    file = state[f"{key}_file"]
    state.pop(BROUGHT, None)
    state.pop(f"{key}_said", None)
    if file is None:
        return
    try:
        state[BROUGHT] = uploaded_policy(file.name, file.getvalue()[: MAX_BYTES + 1])
    except AuditError as error:
        state[f"{key}_said"] = str(error)
    else:
        state[key] = YOURS


def draw_verdicts(loaded: Loaded) -> Callable[[], None]:
    """Draw each model's verdict, limits and what is missing; return what draws the foot."""
    head = st.empty()
    policy = choose_policy("policy")
    if policy is None:
        head.markdown(WHAT)
        if not (settings().policies or may_audit()):
            st.info("The operator has not set up a policy (PCF_POLICIES).", icon=":material/info:")
        return lambda: None
    keys = keys_of([loaded])
    reports: list[GateReport] = []
    missing: dict[str, RunSpec] = {}
    for key in keys:
        try:
            verdicts = _draw_model(policy, key)
        except AuditError as error:
            st.error(f"**{plain_titled(key.label)}:** {plain(str(error))}", icon=":material/error:")
            continue
        reports += [verdicts.report] if verdicts.report else []
        if not key.imported:
            missing |= {
                f"{key.label} ({run.topic.name}, {run.templates.name})": run for run in verdicts.missing
            }
    if missing:
        offer_scoring(missing)
    return partial(_draw_foot, reports, keys)


def _draw_foot(reports: Sequence[GateReport], keys: Sequence[ScoringKey]) -> None:
    def draw_data() -> None:
        if not reports:
            st.caption("There are no verdicts yet.")
        else:
            table = pd.concat([limits_table(report) for report in reports], ignore_index=True)
            whole = partial(limits_table, whole=True)
            draw_table(
                table,
                "policy",
                alt="The limits of the policy",
                whole=lambda: pd.concat(map(whole, reports), ignore_index=True),
            )

    def draw_provenance() -> None:
        draw_cite()
        for report in reports:
            st.markdown(f"**{plain_titled(report.model)}**")
            draw_facts({f"run of {one.topic}, {one.templates}": one.run for one in report.contexts})
        if commands := policy_commands(keys):
            draw_both_commands(
                "\n".join(commands),
                "\n".join(map(afresh, commands)),
                "This command uses saved results and calculates those that are missing.",
            )
        else:
            st.caption(
                "These results came in packs, and the model is not installed here: no command repeats them."
            )

    draw_tabs("policy", {READING: HOW, DATA: draw_data, PROVENANCE: draw_provenance})


def _draw_model(policy: Policy, key: ScoringKey) -> StoredVerdicts:
    """Draw the verdicts on one model, or what they lack; return them."""
    planned = planned_runs(policy, key)
    unread: list[Wanted] = [
        (run, "preferences", context.options)
        for run, context in zip(planned, policy.contexts, strict=True)
        if must_wait(run, "preferences", context.options)
    ]
    if unread:
        follow_readings(unread)
        return StoredVerdicts(None)
    verdicts = _judged(policy, key)
    if verdicts.report is None:
        finding(verdicts.refused or unscored_note(key.label, verdicts.missing))
        return verdicts
    panel = policy_panel(verdicts.report)
    st.markdown(f"**{plain(panel.findings[0])}**")
    st.table(verdict_rows(verdicts.report).map(plain).set_index("limit"))
    draw_notes(panel.notes)
    return verdicts


def _state_of(policy: Policy, key: ScoringKey) -> object:
    """Return what the verdicts on a model depend on in the store."""
    infos = open_store().runs() if policy.compares else ()
    protocols: tuple[Protocol, ...] = ("exact", "exact-boundary")  # those that a policy may name
    shards = [open_store().shards(key.model_copy(update={"protocol": one})) for one in protocols]
    return settings().cache, [(info.run.kept_as, info.complete) for info in infos], shards


@kept(spinner="Checking the limits …", state=_state_of)
def _judged(policy: Policy, key: ScoringKey) -> StoredVerdicts:
    return stored_verdicts(open_store(), policy, key)
