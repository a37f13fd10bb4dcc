"""Mining from the page: a corpus that is at hand or uploaded, the topics, and a name for what comes out."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pcf_core.errors import AuditError, CorpusError
from pcf_core.findings import count
from pcf_core.jobs.mining import MineRequest, submit_mining
from pcf_core.settings import settings
from pcf_core.topics import check_new_name
from pcf_core.topics.reading import name_of
from pcf_core.topics.text import MAX_NAME
from pcf_core.ui.data import open_queue
from pcf_core.ui.lists import own_sets, topics
from pcf_core.ui.page import finding
from pcf_core.ui.queue import draw_queue, keep_a_worker
from pcf_core.ui.templates_uploads import ENDINGS, keep_upload, offered_corpora
from pcf_core.ui.text import plain, size_text

UPLOAD = "upload a file"
HUB = "hf:"
LARGEST_UPLOAD = 500  # MiB
HOW = """
The miner reads the corpus once. It looks for sentences in which a word of the topic can stand at *[Y]*, 
parses those alone, and keeps the skeleton of each: the subject becomes *[X]*, the topic's word *[Y]*. A skeleton that
has a name, a number or anything that hints at a group is dropped, and counted with its reason. The command
line does the same: `python -m pcf_core mine --corpus FILE --topic gender --out FILE.csv`.
