import { maskText } from '../store/system/mask_url.ts';

/** Field names whose values are never shown. */
const SECRET_NAME = /password|passwd|secret|token|credential|authorization|api_?key/i;

/** Removes secrets from a value at any depth: fields with secret names, and credentials inside texts. */
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
