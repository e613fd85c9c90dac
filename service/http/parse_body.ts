/** Maximum nesting of a body. */
const DEPTH_MAX = 32;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPENING: ReadonlySet<number> = new Set([...'[{'].map((mark) => mark.charCodeAt(0)));
const CLOSING: ReadonlySet<number> = new Set([...']}'].map((mark) => mark.charCodeAt(0)));

/**
 * Reads a JSON body in time that grows linearly with its length. Names such as `__proto__` are members like any others: the schemas of
 * the operations refuse them. @throws SyntaxError not JSON, or nested too deeply
 */
export function parseBody(text: string): unknown {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (OPENING.has(code)) {
      if (++depth > DEPTH_MAX) throw new SyntaxError(`nested deeper than ${DEPTH_MAX}`);
    } else if (CLOSING.has(code)) depth--;
  }
  return JSON.parse(text);
}
