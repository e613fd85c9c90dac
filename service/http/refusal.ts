import type { ParameterError } from '../../contract/answers/parameter_errors.ts';

/** An answer other than 200: its status, its body by the specification, and its headers. */
export class Refusal extends Error {
  readonly status: number;
  readonly detail: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: object, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }

  /** Kind of the refusal, for logs and metrics. */
  get type(): string {
    return Array.isArray(this.detail) ? 'validation' : (this.detail as { type: string }).type;
  }
}

export const missingKey = (): Refusal =>
  new Refusal(
    401,
    { type: 'missing_key', msg: 'Send your key in the header Authorization: Bearer <API_KEY>.' },
    { 'www-authenticate': 'Bearer' },
  );

export const unknownKey = (): Refusal =>
  new Refusal(
    401,
    { type: 'unknown_key', msg: 'The key is unknown or revoked.' },
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  );

export const unknownToken = (): Refusal =>
  new Refusal(
    401,
    { type: 'unknown_token', msg: 'No account has this token.' },
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  );

export const rateLimited = (waitS: number, headers: Readonly<Record<string, string>> = {}): Refusal => {
  const seconds = Math.max(1, Math.ceil(waitS));
  return new Refusal(
    429,
    {
      type: 'rate_limited',
      msg: `Rate limit reached. Try again in ${seconds} s.`,
      retry_after_s: seconds,
    },
    { 'retry-after': String(seconds), ...headers },
  );
};

export const invalid = (detail: readonly ParameterError[]): Refusal => new Refusal(422, detail);

export const outsideSandbox = (): Refusal =>
  new Refusal(403, {
    type: 'outside_sandbox',
    msg: 'The sandbox key unlocks one property and one suburb in each state; /api/sandbox_sample lists them.',
  });

export const noCredit = (price: number, remaining: number): Refusal =>
  new Refusal(402, {
    type: 'insufficient_credit',
    msg: `The call costs ${price} cents; the balance is ${remaining}.`,
    price_cents: price,
    remaining_cents: remaining,
  });

export const noCreditForPast = (): Refusal =>
  new Refusal(402, {
    type: 'insufficient_credit',
    msg: 'A read of an earlier publication needs a positive balance, whatever it costs.',
    price_cents: 0,
    remaining_cents: 0,
  });

export const noCreditToWatch = (): Refusal =>
  new Refusal(402, {
    type: 'insufficient_credit',
    msg: 'A watch needs a positive balance. Messages pause while the balance is zero.',
    price_cents: 0,
    remaining_cents: 0,
  });

export const outsideScope = (): Refusal =>
  new Refusal(403, { type: 'outside_scope', msg: 'The scope of the key does not cover this call.' });

export const capped = (price: number): Refusal =>
  new Refusal(402, {
    type: 'daily_cap_reached',
    msg: 'The key has reached its limit for this UTC day.',
    price_cents: price,
  });

/** A call whose client hung up: nothing is read or charged, and the refusal is not sent. */
export const clientGone = (): Refusal =>
  new Refusal(499, { type: 'client_gone', msg: 'The client hung up before the answer was ready.' });

export const badPath = (): Refusal =>
  new Refusal(400, { type: 'bad_path', msg: 'The path is not valid percent-encoded UTF-8.' });

export const badRequest = (msg: string): Refusal => new Refusal(400, { type: 'bad_request', msg });

export const requestTimeout = (): Refusal =>
  new Refusal(408, { type: 'timeout', msg: 'The request took too long.' });

/** `contentRange`: length of the file, as an HTTP header. */
export const rangeNotSatisfiable = (contentRange: string | undefined): Refusal =>
  new Refusal(
    416,
    { type: 'range_not_satisfiable', msg: 'The file has no such range of bytes.' },
    contentRange === undefined ? {} : { 'content-range': contentRange },
  );

export const expectationFailed = (): Refusal =>
  new Refusal(417, { type: 'expectation_failed', msg: 'The header Expect may be 100-continue only.' });

export const headerTooLarge = (): Refusal =>
  new Refusal(431, { type: 'header_too_large', msg: 'The header is larger than the service takes.' });

export const notFound = (): Refusal => new Refusal(404, { type: 'not_found', msg: 'No such endpoint.' });

export const wrongMethod = (allowed: readonly string[]): Refusal =>
  new Refusal(
    405,
    { type: 'method_not_allowed', msg: `The endpoint takes ${allowed.join(' and ')}.` },
    { allow: allowed.join(', ') },
  );

export const unavailable = (msg: string, waitS = 1): Refusal =>
  new Refusal(503, { type: 'unavailable', msg }, { 'retry-after': String(waitS) });

export const internal = (): Refusal =>
  new Refusal(500, { type: 'internal', msg: 'The service failed. Report the X-Request-Id.' });
