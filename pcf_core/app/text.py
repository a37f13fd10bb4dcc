"""Text for Streamlit: names and sentences may come from a user's file and are never markup."""

import re

MARKDOWN = str.maketrans({character: "\\" + character for character in "\\`*_{}[]()#+-.!|~<>$:&"})
WITHIN_A_LINE = str.maketrans({character: "\\" + character for character in "\\`*_[]|~<>$:&"})
# What the page makes a link, or another sign, even of escaped text: a web address by its "://" or "www.", an
# e-mail address by its "@", and "--", "->" or "<=" between spaces.  A joiner without width keeps it as it is.
JOINER = "\u2060"
MADE_OTHER = re.compile(
    r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=[-.+\w])(?=@[-\w]+\.[-\w])|(?<=(?<!\S)[-<>~])(?=[-=>](?!\S))",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Escape text for Markdown; an address in it is no link."""
    return MADE_OTHER.sub(JOINER, text).translate(MARKDOWN)


def plain_label(text: str) -> str:
    r"""Escape as :func:`plain`, for a label of one line that screen readers also read without Markdown.

    Signs that mean something only where a line begins stay bare, so that "mini-gpt" is no "mini\-gpt".
    """
    return MADE_OTHER.sub(JOINER, text).translate(WITHIN_A_LINE)


def described(source: str, notes: str) -> str:
    """Join a source and the notes on it to sentences, whether or not the source ends with a full stop."""
    parts = [part for text in (source, notes) if (part := text.strip())]
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def size_text(size: float) -> str:
    """Write bytes in the unit that reads best."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
