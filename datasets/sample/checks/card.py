"""dataset.toml against the files."""

import hashlib
import tomllib

from .reading import FOLDER, expect, read_lines


def check_card(counts):
    """Rows and SHA-256 of every file; `counts` are (rows, keys or None) by file name."""
    file = "dataset.toml"
    lines = read_lines(file)
    try:
        card = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        expect(False, file, 0, f"is not TOML: {error}")
        return
    expect("synthetic, not clinically validated" in card.get("terms", ""), file, 0,
           "terms lack the marking")
    expect(card.get("licence") == "Apache-2.0", file, 0, "licence is not Apache-2.0")
    expect(card.get("language") == ["en", "zh"], file, 0, "language is not en, zh")
    entries = {entry.get("name"): entry for entry in card.get("file", [])}
    expect(sorted(entries) == sorted(counts), file, 0,
           f"files differ: {sorted(set(entries) ^ set(counts))}")
    for name, (count, keys) in counts.items():
        entry = entries.get(name, {})
        quoted = f'name = "{name}"'
        line = next((n for n, text in enumerate(lines, 1) if text == quoted), 0)
        expect(entry.get("rows") == count, file, line, f"{name} has {count} rows")
        path = FOLDER / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
        expect(entry.get("sha256") == digest, file, line, f"sha256 of {name} is {digest}")
        for rule in entry.get("fields", {}).values():
            column = rule if isinstance(rule, str) else rule.get("column")
            if keys and column:
                expect(column in keys, file, line, f"{name} has no column {column}")
