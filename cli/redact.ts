/** Names of fields whose values are never shown. */
export const SECRET_NAME = /password|passwd|secret|token|credential|authorization|api_?key/i;

const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?::[^\s/@]*)?@/gi;
const PARAMETER = /([?&;\s](?:[\w-]*(?:password|passwd|secret|token|api_?key))=)[^&\s;"']*/gi;

/** Text without the credentials of URLs and the values of parameters that are secrets. */
export const redactText = (text: string): string =>
  text.replaceAll(CREDENTIALS, '$1***@').replaceAll(PARAMETER, '$1***');

/** A value without secrets, at any depth: fields with names of secrets, and credentials inside texts. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      SECRET_NAME.test(name) && each !== null ? '***' : redact(each),
    ]),
  );
}
