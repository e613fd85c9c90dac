/** Maximum length of a stored file name. */
const MAX_NAME = 150;

/** Returns a file name that is safe on every system: letters, digits and a few punctuation characters; null: nothing is left. */
export function safeName(text: string): string | null {
  const base = text.split(/[\\/]/).at(-1) ?? '';
  const cleaned = base
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}._ ()+-]+/gu, '_')
    .replace(/^[._ ]+/, '')
    .replace(/[. ]+$/, '');
  if (cleaned.length <= MAX_NAME) return cleaned || null;
  const ending = /(\.[A-Za-z0-9]{1,8}){1,2}$/.exec(cleaned)?.[0] ?? '';
  return cleaned.slice(0, MAX_NAME - ending.length) + ending;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the last part of a URL's path if it looks like a file name with an extension; null: it does not. */
export function nameInUrl(url: URL): string | null {
  const name = safeName(decoded(url.pathname.split('/').at(-1) ?? ''));
  return name !== null && /\.[A-Za-z][A-Za-z0-9]{1,7}$/.test(name) ? name : null;
}

/** Returns the file name in a Content-Disposition header; null: none. */
export function nameInDisposition(header: string | undefined): string | null {
  if (header === undefined) return null;
  const extended = /filename\*\s*=\s*[\w-]*'[\w-]*'([^;\s]+)/i.exec(header);
  if (extended) return safeName(decoded(extended[1]!));
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  return plain ? safeName((plain[1] ?? plain[2]!).replaceAll(/\\(.)/g, '$1')) : null;
}
