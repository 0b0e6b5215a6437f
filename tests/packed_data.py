"""Read the data of the viewer on a page, as the viewer does."""

import base64
import json
import zlib


def decompress(packed):
    """Return the JSON of packed viewer data."""
    text = packed if isinstance(packed, str) else packed.decode()
    return zlib.decompress(base64.b85decode(text.translate(str.maketrans(",.:", "<>&"))))


def unpack(packed):
    """Return the viewer data, with the columns put back into its frames."""
    data = json.loads(decompress(packed))
    for key, texts in data.pop("columns").items():
        for frame, text in zip(data["frames"], texts, strict=True):
            for table in frame if isinstance(frame, list) else [frame]:
                table.update({key: text} if text else {})
    return data
