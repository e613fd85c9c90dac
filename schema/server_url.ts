import { z } from 'zod';

/**
 * Returns whether a text is a URL with one of the schemes and a host. Without a host it would mean localhost; an unencoded `@` or
 * `#` splits a password.
 */
function isServerUrl(text: string, schemes: readonly string[]): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  const hasHost = url.hostname !== '' || Boolean(url.searchParams.get('host'));
  const isComplete = !url.pathname.includes('@') && !url.search.includes('@') && url.hash === '';
  return schemes.includes(url.protocol.slice(0, -1)) && hasHost && isComplete;
}

/** Schema of a server URL. Errors never show the value: it may include a password. */
export const serverUrlSchema = (schemes: readonly string[], form: string) =>
  z.string().refine((text) => isServerUrl(text, schemes), {
    message: `is written ${form}, with special characters of the password percent-encoded`,
  });
