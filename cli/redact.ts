import { maskText } from '../store/system/mask_url.ts';

/** Names of fields whose values are never shown. */
const SECRET_NAME = /password|passwd|secret|token|credential|authorization|api_?key/i;

/** A value without secrets, at any depth: fields with names of secrets, and credentials inside texts. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      SECRET_NAME.test(name) && each !== null ? '***' : redact(each),
    ]),
  );
}
