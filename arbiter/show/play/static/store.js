// What this browser remembers: options, deployments, and marks on pieces.  Pages work without.
const PREFIX = "arbiter-play-";

export function read(key, usual) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? usual : JSON.parse(text);
  } catch {
    return usual;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {}
}
