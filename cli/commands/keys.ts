import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import {
  accountNamed,
  addCredit,
  createKey,
  isExpiry,
  type KeyLimits,
  listKeys,
  openAccount,
  revokeKey,
  rotateToken,
  SCOPE,
  usageOf,
} from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, loadConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { columns } from '../render.ts';
import { wholeFlag } from '../whole_flag.ts';

interface KeyFlags extends ConfigFlags {
  json?: boolean;
  account?: string;
  label?: string;
  cents?: string;
  adjust?: boolean;
  note?: string;
  days?: string;
  expires?: string;
  dayCents?: string;
  scope?: string[];
}

/** Result of a subcommand: an object for JSON output, and a text. */
interface CommandResult {
  json: object;
  text: string;
}
type Client = pg.ClientBase;

/** Maximum cents of one top-up, to limit typos. */
const CENTS_MAX = 100_000_000;

function needed(value: string | undefined, flag: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new EtlError('config_invalid', `${flag} is needed.`);
}

/** Formats cents as dollars. */
const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

function limitsOf({ expires, dayCents, scope }: KeyFlags): KeyLimits {
  const wrong = scope?.find((each) => !SCOPE.test(each));
  if (wrong !== undefined)
    throw new EtlError(
      'config_invalid',
      `--scope ${wrong}: give rest, mcp or a path that begins with /v1/ or /api/.`,
    );
  const time = expires === undefined ? null : new Date(expires);
  if (expires !== undefined && !isExpiry(expires))
    throw new EtlError('config_invalid', `--expires ${expires}: give a time such as 2027-01-01T00:00:00Z.`);
  return {
    expires_at: time?.toISOString() ?? null,
    day_cents_max: dayCents === undefined ? null : wholeFlag('--day-cents', dayCents, 0),
    scope: scope ?? null,
  };
}

async function create(client: Client, flags: KeyFlags): Promise<CommandResult> {
  const { account, token } = await openAccount(client, needed(flags.account, '--account'));
  const { key, prefix } = await createKey(client, account.account_id, flags.label ?? '', limitsOf(flags));
  const opened =
    token === null ? '' : `\naccount token ${token}\n  opens the page of the account; shown once`;
  return {
    json: { account: account.name, key, prefix, ...(token === null ? {} : { account_token: token }) },
    text: `key ${key}\n  shown once; later it is ${prefix}…${opened}`,
  };
}

async function list(client: Client, flags: KeyFlags): Promise<CommandResult> {
  const of = flags.account === undefined ? null : (await accountNamed(client, flags.account)).account_id;
  const keys = await listKeys(client, of);
  const rows = keys.map((key) => [
    key.prefix,
    key.account,
    key.label,
    key.created_at,
    [
      ...(key.revoked_at === null ? [] : [`revoked ${key.revoked_at}`]),
      ...(key.expires_at === null ? [] : [`expires ${key.expires_at}`]),
      ...(key.day_cents_max === null ? [] : [`${dollars(key.day_cents_max)} a day`]),
      ...(key.scope ?? []),
    ].join(', '),
  ]);
  return { json: keys, text: rows.length === 0 ? 'no keys' : columns(rows, '') };
}

async function revoke(client: Client, _flags: KeyFlags, prefix: string | undefined): Promise<CommandResult> {
  const of = needed(prefix, 'The prefix of the key');
  await revokeKey(client, of, null);
  return { json: { revoked: of }, text: `revoked ${of}` };
}

async function rotate(client: Client, flags: KeyFlags): Promise<CommandResult> {
  const account = await accountNamed(client, needed(flags.account, '--account'));
  if (account.plan === 'sandbox')
    throw new EtlError('config_invalid', 'The public sandbox account has no token.');
  const token = await rotateToken(client, account.account_id);
  return {
    json: { account: account.name, account_token: token },
    text: `account token ${token}\n  replaces the previous one; shown once`,
  };
}

async function topup(client: Client, flags: KeyFlags): Promise<CommandResult> {
  const account = await accountNamed(client, needed(flags.account, '--account'));
  const text = needed(flags.cents, '--cents');
  const takes = flags.adjust === true && text.startsWith('-');
  const cents = wholeFlag('--cents', takes ? text.slice(1) : text, 1);
  if (cents > CENTS_MAX) throw new EtlError('config_invalid', `--cents is at most ${CENTS_MAX}.`);
  const kind = flags.adjust ? 'adjustment' : 'topup';
  const balance = await addCredit(
    client,
    account.account_id,
    kind,
    takes ? -cents : cents,
    flags.note ?? null,
  );
  return {
    json: { account: account.name, balance_cents: balance },
    text: `${account.name}: balance ${dollars(balance)}`,
  };
}

async function usage(client: Client, flags: KeyFlags): Promise<CommandResult> {
  const account = await accountNamed(client, needed(flags.account, '--account'));
  const days = wholeFlag('--days', flags.days ?? '31', 1);
  const used = await usageOf(client, account.account_id, days);
  const { name, balance_cents, spent_cents } = account;
  const rows = used.map(({ day, endpoint, calls, cents }) => [day, endpoint, `${calls}`, dollars(cents)]);
  const head = `${name}: balance ${dollars(balance_cents)}, spent ${dollars(spent_cents)}`;
  return {
    json: { account: name, balance_cents, spent_cents, usage: used },
    text: rows.length === 0 ? head : `${head}\n${columns(rows)}`,
  };
}

const ACTIONS = { create, list, revoke, rotate, topup, usage } as const;

/** Manages accounts, their keys and their credit. */
export async function keysCommand(
  action: string,
  subject: string | undefined,
  flags: KeyFlags,
): Promise<void> {
  if (!(action in ACTIONS)) {
    throw new EtlError('config_invalid', `keys ${action}: there are ${Object.keys(ACTIONS).join(', ')}.`);
  }
  const { config } = await loadConfig(flags);
  const result = await withDatabase(config, async (url) => {
    const pool = openPool(url, 1);
    const client = await pool.connect();
    try {
      await setUpAccounts(client);
      return await ACTIONS[action as keyof typeof ACTIONS](client, flags, subject);
    } finally {
      client.release();
      await pool.end();
    }
  });
  printLine(flags.json ? JSON.stringify(result.json) : result.text);
}
