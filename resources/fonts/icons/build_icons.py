"""Cuts Material Design Icons down to the glyphs of the window: `icons.ttf`, and `icons.json` from glyph name to code point.

`python resources/fonts/icons/build_icons.py FONT.ttf CHARMAP.json` with the font and the character map (name -> hexadecimal
code point) of Material Design Icons 6.9.96. Needs fontTools. Run it after a new name in `names.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fontTools import subset

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def main(font: str, charmap: str) -> None:
    """Write both files."""
    sys.path.insert(0, str(ROOT))
    from gui.theme.icons import ICONS

    codes = {name: int(code, 16) for name, code in json.loads(Path(charmap).read_text("utf-8")).items()}
    used = {name: codes[name] for name in sorted(set(ICONS.values()))}
    options = subset.Options(layout_features=[], name_IDs=["*"], notdef_outline=True)
    loaded = subset.load_font(font, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=used.values())
    cutter.subset(loaded)
    subset.save_font(loaded, str(HERE / "icons.ttf"), options)
    (HERE / "icons.json").write_text(json.dumps({name: f"{code:x}" for name, code in used.items()}, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
