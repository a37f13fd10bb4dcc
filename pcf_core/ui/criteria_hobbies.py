"""The view Hobbies of the page Criteria: what is said of students by the gender of their name."""

from __future__ import annotations

import streamlit as st

from pcf_core.charts.hobbies import label_dots
from pcf_core.records.criteria_run import Answering, CriteriaResult
from pcf_core.records.hobbies import HobbiesReport
