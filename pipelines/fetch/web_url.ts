/** Parses a URL, relative to another one if given; null: invalid. */
export function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Returns the address of a source for display, without credentials, query and fragment, which could have secrets. */
export function shownUrl(url: URL | string): string {
  const parsed = parseUrl(String(url));
  return parsed === null ? '(no valid URL)' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
