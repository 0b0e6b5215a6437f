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
    return data | {"frames": read_changes(data | {"moves": data["moves"].split(" ")})}


def read_changes(data):
    """Return the changes of the frames, with what the columns of moves and clocks hold."""
    changes = []
    tenths = dict.fromkeys(SEATS, 0)
    for initial, frame, move, behind in zip(
        *(data[part] for part in ("seats", "frames", "moves", "clocks")), strict=True
    ):
        change = {**frame}
        if move:
            src, to = re.fullmatch(r"([a-z]\d+)(.+)", move).groups()
            if to in STEPS:
                files, rows = STEPS[to]
                to = f"{chr(ord(src[0]) + files)}{int(src[1:]) + rows}"
            change |= {">": "1", "go": f"{src} {to}"}
        if behind:
            tenths[initial] -= behind
            seconds, tenth = divmod(tenths[initial], 10)
            change[f"clock/{SEATS[initial]}"] = f"{seconds // 60}:{seconds % 60:02}.{tenth}"
        changes.append(change)
    return changes


def choose_texts(change, viewers, viewer):
    """Return the part of a change that concerns one of the viewers."""
    number = viewers.index(viewer)
    texts = {
        key: text if isinstance(text, str) else text[0 if text[number] == 0 else number] for key, text in change.items()
    }
    return {key: text for key, text in texts.items() if text is not None}
