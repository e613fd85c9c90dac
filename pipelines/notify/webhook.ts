import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Config } from '../../schema/config.ts';
import { isMetadataHost } from '../../store/system/private_host.ts';
import { openAgent } from '../fetch/http.ts';
import { guardedLookup } from '../fetch/public_lookup.ts';
import type { WebhookPayload } from './notice.ts';

/** Milliseconds before the second attempt; doubles for each further one. */
const BACKOFF_MS = 1000;

/** Returns the receiver's address without its path, which is a secret in chat services. */
const shownReceiver = (url: string): string => new URL(url).origin;

/** Returns `sha256=` and the HMAC-SHA256 of `<timestamp>.<body>` in hexadecimal. */
const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/** A failure, and whether a retry can help. */
interface Failure {
  message: string;
  again: boolean;
}

/** Sends a notice once; null: it was accepted. */
async function attempt(
  url: string,
  body: string,
  headers: Record<string, string>,
  { timeout_s }: Config['ops']['webhook'],
  mayGoInside: boolean,
): Promise<Failure | null> {
  const agent = openAgent(process.env, guardedLookup(mayGoInside));
  try {
    const signal = AbortSignal.timeout(timeout_s * 1000);
    // Redirects are not followed, because the signed body is only for the configured receiver.
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      headers,
      body,
      dispatcher: agent,
      signal,
    });
    await answer.dump({ limit: 64 * 1024, signal }).catch(() => undefined);
    if (statusCode >= 200 && statusCode < 300) return null;
    return {
      message: `answers ${statusCode}`,
      again: statusCode >= 500 || [408, 425, 429].includes(statusCode),
    };
  } catch (error) {
    const { name, message } = error as Error;
    return { message: name === 'TimeoutError' ? `no answer in ${timeout_s} s` : message, again: true };
  } finally {
    await agent.destroy();
  }
}

/**
 * Sends a notice to the configured receiver, with retries if they can help. Never throws: a broken receiver does not fail a run.
 * @returns the failure; null: delivered, or no receiver is configured
 */
export async function sendNotice(config: Config, notice: WebhookPayload): Promise<string | null> {
  const { webhook } = config.ops;
  const { url, secret, attempts } = webhook;
  if (url === null) return null;
  const where = shownReceiver(url);
  if (isMetadataHost(new URL(url)))
    return `webhook ${where}: link-local addresses and metadata services are refused.`;
  const body = JSON.stringify(notice);
  for (let nth = 1; ; nth++) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'user-agent': `property-data-pipeline/${notice.version}`,
      'x-pipeline-event': notice.event,
      'x-pipeline-delivery': notice.id,
      'x-pipeline-timestamp': timestamp,
      ...(secret === null ? {} : { 'x-pipeline-signature': signatureOf(secret, timestamp, body) }),
    };
    const failure = await attempt(url, body, headers, webhook, config.downloads.private_addresses);
    if (failure === null) return null;
    if (!failure.again || nth >= attempts)
      return `webhook ${where}: ${notice.event} was not delivered after ${nth} ${nth === 1 ? 'attempt' : 'attempts'}: ${failure.message}`;
    await sleep(BACKOFF_MS * 2 ** (nth - 1));
  }
}
