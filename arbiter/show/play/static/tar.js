// Archives in the format ustar, which the arbiter unpacks.
const BLOCK = 512;

/** Return the parts of an archive of files, each with a path, its bytes, and whether it may run. */
export function writeTar(files) {
  const parts = files.flatMap(({ path, bytes, runs }) => [
    writeHead(path, bytes.length, runs), bytes, new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK),
  ]);
  return [...parts, new Uint8Array(2 * BLOCK)];
}

function writeHead(path, size, runs) {
  const head = new Uint8Array(BLOCK), encoder = new TextEncoder();
  const put = (start, text) => head.set(encoder.encode(text), start);
  const octal = (start, digits, number) => put(start, number.toString(8).padStart(digits, "0"));
  const [prefix, name] = splitPath(path, encoder);
  put(0, name);
  octal(100, 7, runs ? 0o755 : 0o644);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, size);
  octal(136, 11, 0);
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\u000000");
  put(345, prefix);
  octal(148, 6, head.reduce((sum, byte) => sum + byte, 0));
  head[154] = 0;
  return head;
}

/** Split a path into a prefix of at most 155 bytes and a name of at most 100. */
function splitPath(path, encoder) {
  const fits = (text, most) => encoder.encode(text).length <= most;
  if (fits(path, 100)) return ["", path];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const found = [path.slice(0, at), path.slice(at + 1)];
    if (fits(found[0], 155) && fits(found[1], 100)) return found;
  }
  throw new Error(`${path}: the name is too long.`);
}
