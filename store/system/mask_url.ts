/** Text that replaces a secret. */
const MASK = '***';
/** Schemes whose URLs have only host and name after the `@`: an unencoded `@` or `/` belongs to the password. */
const OF_SERVERS = /^(postgres(ql)?|rediss?|socket):/i;

/** Masks a URL's query to its keys: any value may be a signature, and so may a key without a value. */
const maskQuery = (query: string): string =>
  query
    .split('&')
    .map((part) => (part.includes('=') ? `${part.slice(0, part.indexOf('='))}=${MASK}` : MASK))
    .join('&');

/**
 * Masks a URL for logs and reports: without its password, the values of its query and its fragment. A URL that cannot be parsed is not
 * shown at all.
 */
export function maskUrl(url: string): string {
  if (!/^[\w+.-]+:\/\//.test(url)) return '(unreadable URL)';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return '(unreadable URL)';
  }
  const { protocol, username, password, host, pathname, search } = parsed;
  if (OF_SERVERS.test(protocol) && pathname.includes('@')) return '(unreadable URL)';
  const user = password !== '' ? `${username}:${MASK}@` : username !== '' ? `${MASK}@` : '';
  const query = search.length > 1 ? `?${maskQuery(search.slice(1))}` : '';
  return `${protocol}//${user}${host}${pathname}${query}`;
}

const IN_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`]+/gi;
const PARAMETER = /([;\s](?:[\w-]*(?:password|passwd|secret|token|api_?key))=)[^&\s;"']*/gi;

function maskInText(url: string): string {
  const bare = url.replace(OF_SERVERS.test(url) ? /:\/\/.*@/ : /:\/\/[^/?#]*@/, `://${MASK}@`);
  const at = bare.search(/[?#]/);
  if (at < 0) return bare;
  return bare[at] === '#' ? bare.slice(0, at) : `${bare.slice(0, at)}?${maskQuery(bare.slice(at + 1))}`;
}

/** Masks credentials and query values of URLs in a text, and values of secret parameters. */
export const maskText = (text: string): string =>
  text.replaceAll(IN_TEXT, maskInText).replaceAll(PARAMETER, `$1${MASK}`);
