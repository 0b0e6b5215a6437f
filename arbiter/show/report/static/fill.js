// Fills the placeholders of a text, {names} of values; other ones stay as they are.
"use strict";

window.arbiterFill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
