import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { accountNamed } from '../../store/accounts/accounts.ts';
import { createWatch, isReceiver, WATCHED_MAX, WATCHES_MAX } from '../../store/accounts/watches.ts';
import { withClient } from '../../store/database.ts';
import { latestPublication } from '../../store/journal/journal.ts';
import { noteAction } from '../../store/state/operator_actions.ts';

const invalid = (message: string): EtlError => new EtlError('config_invalid', message);

/**
 * Creates a watch of properties for an account, from the fields `account` and `url` of a form. `of`: what the properties are, for the
 * record of actions. @throws EtlError config_invalid for a faulty request
 */
export async function watchFor(
  pool: pg.Pool,
  config: Config,
  fields: URLSearchParams,
  { of, ids }: { of: string; ids: readonly string[] },
  who: string,
): Promise<{ watch_id: number; secret: string }> {
  const [url, account] = [fields.get('url') ?? '', fields.get('account')?.replaceAll('\0', '') ?? ''];
  if (!isReceiver(url, config.downloads.private_addresses))
    throw invalid('The receiver is a public https address without a user.');
  if (ids.length > WATCHED_MAX)
    throw invalid(`A watch has at most ${WATCHED_MAX.toLocaleString('en-AU')} properties.`);
  await withClient(pool, setUpAccounts);
  const { account_id } = await accountNamed(pool, account);
  const since = await withClient(pool, async (client) => {
    await noteAction(client, { who, action: 'watch', detail: { account, of, url } });
    return (await latestPublication(client))?.publication_id ?? 0;
  });
  const watchId = await createWatch(pool, account_id, { url, fields: [], since, ids: [...ids] });
  if (watchId === null) throw invalid(`An account has at most ${WATCHES_MAX} watches.`);
  return watchId;
}
