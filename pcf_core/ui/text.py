"""Text for Streamlit: names and sentences may come from a user's file and are never markup."""

MARKDOWN = str.maketrans({character: "\\" + character for character in "\\`*_{}[]()#+-.!|~<>$:"})


def plain(text: str) -> str:
    """Text that Markdown shows as it is written."""
    return text.translate(MARKDOWN)
