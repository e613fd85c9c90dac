import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Compares in constant time. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

/** True if a host is reachable from this machine only. */
function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (name === 'localhost' || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

/** Refuses to listen on a public address without a token. */
export function checkAccess({ host, token }: Config['ops']): void {
  if (token !== null || isLoopback(host)) return;
  throw new EtlError(
    'config_invalid',
    `ops.host ${host} can be reached from elsewhere: set ops.token (PIPELINE_OPS__TOKEN) to at least 16 characters, or listen on 127.0.0.1.`,
  );
}

/** Name without port from a Host header. */
const hostName = (header: string): string => header.replace(/:\d+$/, '');

/** Name and password of a request. Null: none. */
function credentials(authorization = ''): { user: string; password: string } | null {
  const [scheme = '', value = ''] = authorization.split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return { user: 'bearer', password: value };
  if (scheme.toLowerCase() !== 'basic') return null;
  const text = Buffer.from(value, 'base64').toString('utf8');
  return { user: text.slice(0, Math.max(0, text.indexOf(':'))), password: text.slice(text.indexOf(':') + 1) };
}

/**
 * True if a request may see the pages. With a token: the request sends it as bearer or password. Without one: the request addresses this
 * machine by name or address, so that no page of another site can read the pages through a local browser.
 */
export function isAuthorised(
  token: string | null,
  headers: { authorization?: string | undefined; host?: string | undefined },
): boolean {
  if (token === null) return isLoopback(hostName(headers.host ?? ''));
  const sentCredentials = credentials(headers.authorization);
  return sentCredentials !== null && same(sentCredentials.password, token);
}

/** Name of the user who sends a request, from the credentials. Nothing verifies it. */
export const userOf = (headers: { authorization?: string | undefined }): string =>
  credentials(headers.authorization)
    ?.user.replaceAll(/[^\p{L}\p{N}@._ -]/gu, '')
    .slice(0, 60) || 'no name';
