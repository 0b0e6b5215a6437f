"""Read the data of the viewer on a page, as the viewer does."""

import base64
import json
import zlib

SEATS = {"r": "red", "b": "blue"}


def decompress(packed):
    """Return the JSON of packed viewer data."""
    text = packed if isinstance(packed, str) else packed.decode()
    return zlib.decompress(base64.b85decode(text.translate(str.maketrans(",.:", "<>&"))))


def unpack(packed):
    """Return the viewer data, with the columns put back into its frames."""
    data = json.loads(decompress(packed))
    for column, texts in data.pop("columns").items():
        for change, text, initial in zip(data["frames"], texts, data["seats"], strict=True):
            key = f"clock/{SEATS[initial]}" if column == "clock" and text else column
            change.update({key: text} if text else {})
    return data


def choose_texts(change, viewers, viewer):
    """Return the part of a change that concerns one of the viewers."""
    number = viewers.index(viewer)
    texts = {key: text if isinstance(text, str) else text[number] for key, text in change.items()}
    return {key: text for key, text in texts.items() if text is not None}
