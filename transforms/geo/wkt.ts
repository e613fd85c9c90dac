/** One bracketed item of a well-known text: `KEYWORD[arguments]`. Keywords are upper case. */
export interface WktNode {
  readonly keyword: string;
  /** Quoted strings and numbers before and between the children. */
  readonly values: readonly (string | number)[];
  readonly children: readonly WktNode[];
}

/** Maximum nesting and length of a text: a real definition has 6 levels and 5,000 characters. */
const MAX_DEPTH = 32;
const MAX_LENGTH = 100_000;

const TOKEN =
  /\s*(?:"((?:[^"]|"")*)"|([A-Za-z_][A-Za-z0-9_]*)|([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|([[\](),]))/y;

/** Rest of a text: empty, or a vertical system. */
const HEIGHTS_BEHIND = /^\s*(,\s*(VERTCS|VERT_CS|VERTCRS|VERTICALCRS)\s*[[(].*[\])]\s*)?$/is;

/**
 * Parses a well-known text of any variant (WKT1 of Esri or OGC, WKT2) to a tree. Esri appends the vertical system:
 * `PROJCS[…],VERTCS[…]`; only the first tree is returned. Null: not a well-known text.
 */
export function parseWkt(text: string): WktNode | null {
  if (text.length > MAX_LENGTH) return null;
  const stack: { keyword: string; values: (string | number)[]; children: WktNode[] }[] = [];
  let keyword: string | null = null;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, quoted, word, number, mark] = match;
    const top = stack.at(-1);
    if (mark === '[' || mark === '(') {
      if (keyword === null || stack.length === MAX_DEPTH) return null;
      stack.push({ keyword, values: [], children: [] });
      keyword = null;
      continue;
    }
    // A bare word without a bracket is an enumeration value such as an axis direction.
    if (keyword !== null && top) top.values.push(keyword);
    keyword = null;
    if (word !== undefined) keyword = word.toUpperCase();
    else if (quoted !== undefined) top?.values.push(quoted.replaceAll('""', '"'));
    else if (number !== undefined) top?.values.push(Number(number));
    else if (mark === ']' || mark === ')') {
      const closed = stack.pop();
      if (!closed) return null;
      if (stack.length > 0) stack.at(-1)!.children.push(closed);
      else return HEIGHTS_BEHIND.test(text.slice(TOKEN.lastIndex)) ? closed : null;
    }
  }
  return null;
}

/** Returns the first descendant (breadth first, including the node itself) with one of the keywords. */
export function findWkt(node: WktNode, ...keywords: string[]): WktNode | undefined {
  let level: readonly WktNode[] = [node];
  while (level.length > 0) {
    const match = level.find((item) => keywords.includes(item.keyword));
    if (match) return match;
    level = level.flatMap((item) => item.children);
  }
  return undefined;
}

/** Returns the n-th quoted string of a node, or an empty string. */
export function wktName(node: WktNode | undefined, n = 0): string {
  return node?.values.filter((v) => typeof v === 'string')[n] ?? '';
}

/** Returns the first number of a node, or NaN. */
export function wktNumber(node: WktNode | undefined): number {
  return node?.values.find((v) => typeof v === 'number') ?? Number.NaN;
}

/** Returns the EPSG (or Esri) number in the node's own `AUTHORITY[...]` or `ID[...]`. Null: none. */
export function wktAuthority(node: WktNode): number | null {
  for (const child of node.children) {
    if (child.keyword !== 'AUTHORITY' && child.keyword !== 'ID') continue;
    if (!/^(epsg|esri)$/i.test(wktName(child))) continue;
    const code = Number(child.values[1]);
    if (Number.isInteger(code)) return code;
  }
  return null;
}
