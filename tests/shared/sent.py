"""Small submissions of Tasks 1, 3 and 4, and how they are put into folders and archives."""

from pathlib import Path

from packed import zipped as zipped


def cases(tag, right=5):
    """Task 1: ten queries, of which so many are answered rightly."""
    return "".join(f"{n:06} {n + (100 if n <= right else 200):06} {tag}\n" for n in range(1, 11))


def articles(tag, right=6):
    """Task 3: six questions."""
    return "".join(f"R07-0{n}-U Q0 {n if n <= right else 99} 1 1.0 {tag}\n" for n in range(1, 7))


def labels(tag, right=6):
    """The answers to them, of Task 4 or beside those of Task 3."""
    return "".join(f"R07-0{n}-U {'Y' if n <= right else 'N'} {tag}\n" for n in range(1, 7))


def write(files):
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
