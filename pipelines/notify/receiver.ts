import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { isMetadataHost, isPrivateHost } from '../../store/system/private_host.ts';

export interface WebhookMessage {
  /** The same for every attempt, so that a receiver can drop repeats. */
  id: string;
  body: string;
}

/** Maximum response time of a receiver, and maximum response size that is read. */
const TIMEOUT_MS = 15_000;
const ANSWER_BYTES = 64 * 1024;

type Allowed = (hostname: string) => boolean;
const isPublic: Allowed = (hostname) => !isPrivateHost({ hostname });
const isNoMetadata: Allowed = (hostname) => !isMetadataHost({ hostname });

/** Returns a lookup that rejects addresses that are not allowed; the connection uses the checked address. */
const lookupOf =
  (isAllowed: Allowed): LookupFunction =>
  (hostname, options, callback) =>
    (lookup as LookupFunction)(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((each) => each.address);
      if (error === null && !addresses.every(isAllowed))
        callback(new Error('the name leads to an address that is not public'), '', 0);
      else callback(error, address, family);
    });

/**
 * Posts a message, signed by the Standard Webhooks scheme. Follows no redirects and uses no proxy. `mayGoInside`: private addresses are
 * allowed, but never metadata services, which return the credentials of the machine.
 * @returns the text of the response. @throws Error if the status is not 2xx
 */
export async function post(
  { url, secret }: { url: string; secret: string },
  { id, body }: WebhookMessage,
  mayGoInside: boolean,
): Promise<string> {
  const isAllowed = mayGoInside ? isNoMetadata : isPublic;
  if (!isAllowed(new URL(url).hostname)) throw new Error('the address is not public');
  const agent = new Agent({ connect: { lookup: lookupOf(isAllowed), timeout: TIMEOUT_MS } });
  try {
    const now = new Date();
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, now, body),
      },
      body,
    });
    let text = '';
    for await (const chunk of answer.body) {
      text += chunk;
      if (text.length > ANSWER_BYTES) break;
    }
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`answers ${answer.statusCode}`);
    return text;
  } finally {
    await agent.destroy();
  }
}
