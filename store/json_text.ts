/** An unpaired surrogate, left where a text was cut short. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Writes JSON that PostgreSQL accepts as jsonb: zero bytes and unpaired surrogates, which quotes of damaged files bring into messages,
 * become the replacement character.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll('\0', '\ufffd').replace(LONE, '\ufffd') : each,
  );
}
