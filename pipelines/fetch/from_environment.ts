import type { FetchSettings } from '../../schema/config_fetch.ts';
import { EtlError } from '../../schema/errors.ts';
import { parseUrl } from './web_url.ts';

/** Replaces `${NAME}` in a text by environment variables. @throws EtlError config_missing_variable */
function withVariables(text: string, env: NodeJS.ProcessEnv, where: string): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_match, name: string) => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw new EtlError(
      'config_missing_variable',
      `${where} needs the environment variable ${name}, which is not set.`,
      { details: { variable: name } },
    );
  });
}

/** Returns the configured headers with environment values. An invalid value is rejected without showing it. */
export function headersOf(
  settings: FetchSettings,
  env: NodeJS.ProcessEnv,
  dataset: string,
): Record<string, string> {
  const entries = Object.entries(settings.headers).map(([name, text]) => {
    const where = `datasets.${dataset}.fetch.headers.${name}`;
    const value = withVariables(text, env, where);
    if (!/^[\x20-\x7e\t]*$/.test(value))
      throw new EtlError(
        'config_invalid',
        `${where} has a line break or a character that headers cannot contain.`,
      );
    return [name.toLowerCase(), value];
  });
  return Object.fromEntries(entries);
}

/** Returns a URL with environment values, percent-encoded. */
export function urlOf(text: string, env: NodeJS.ProcessEnv, dataset: string): URL {
  const where = `datasets.${dataset}.fetch.url`;
  const encoded = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value && encodeURIComponent(value)]),
  );
  const url = parseUrl(withVariables(text, encoded, where));
  if (url === null) throw new EtlError('config_invalid', `${where} is not a URL.`);
  return url;
}
