"""Read the data of the viewer on a page, as the viewer does."""

import base64
import json
import re
import zlib

SEATS = {"r": "red", "b": "blue"}
STEPS = {"u": (0, 1), "d": (0, -1), "l": (-1, 0), "r": (1, 0)}


def decompress(packed):
    """Return the JSON of packed viewer data."""
    text = packed if isinstance(packed, str) else packed.decode()
    return zlib.decompress(base64.b85decode(text.translate(str.maketrans(",.:", "<>&"))))


def unpack(packed):
    """Return the viewer data, with the columns put back into its frames."""
    data = json.loads(decompress(packed))
    columns = zip(data["seats"], data["frames"], data.pop("moves").split(" "), data.pop("clocks"), strict=True)
    tenths = {}
    for initial, change, move, behind in columns:
        if move:
            src, to = re.fullmatch(r"([a-z]\d+)(.+)", move).groups()
            if to in STEPS:
                files, rows = STEPS[to]
                to = f"{chr(ord(src[0]) + files)}{int(src[1:]) + rows}"
            change |= {">": "1", "go": f"{src} {to}"}
        if behind:
            tenths[initial] = tenths.get(initial, 0) - behind
            seconds, tenth = divmod(tenths[initial], 10)
            change[f"clock/{SEATS[initial]}"] = f"{seconds // 60}:{seconds % 60:02}.{tenth}"
    return data


def choose_texts(change, viewers, viewer):
    """Return the part of a change that concerns one of the viewers."""
    number = viewers.index(viewer)
    texts = {key: text if isinstance(text, str) else text[number] for key, text in change.items()}
    return {key: text for key, text in texts.items() if text is not None}
