"""Text for Streamlit: names and sentences may come from a user's file and are never markup."""

MARKDOWN = str.maketrans({character: "\\" + character for character in "\\`*_{}[]()#+-.!|~<>$:&"})


def plain(text: str) -> str:
    """Text that Markdown shows as it is written."""
    return text.translate(MARKDOWN)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, in words short enough for a progress line."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def size_text(size: float) -> str:
    """Bytes in the unit that reads best."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
