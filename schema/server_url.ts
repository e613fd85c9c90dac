import { z } from 'zod';

/** Whether a text is a URL of one of the schemes that names a server. One without a host would mean localhost; an `@` or `#` that nobody encoded cuts a password in two. */
function isServerUrl(text: string, schemes: readonly string[]): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  const named = url.hostname !== '' || Boolean(url.searchParams.get('host'));
  const whole = !url.pathname.includes('@') && !url.search.includes('@') && url.hash === '';
  return schemes.includes(url.protocol.slice(0, -1)) && named && whole;
}

/** The URL of a server, never shown where it is wrong: it may hold a password. */
export const serverUrlSchema = (schemes: readonly string[], form: string) =>
  z.string().refine((text) => isServerUrl(text, schemes), {
    message: `is written ${form}, with special characters of the password percent-encoded`,
  });
