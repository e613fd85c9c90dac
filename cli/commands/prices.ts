import { RATE_CARD, RATE_CARD_VERSION } from '../../contract/service/rate_card.ts';
import { EtlError } from '../../schema/errors.ts';
import type { RateCard } from '../../schema/rate_card.ts';
import { setUpAccounts } from '../../store/accounts/account_set_up.ts';
import { addRateCard, firstRateCard, rateCards } from '../../store/accounts/rate_cards.ts';
import { openPool } from '../../store/database.ts';
import { withDatabase } from '../database.ts';
import { type ConfigFlags, loadConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { columns } from '../render.ts';

/** True if a path of the service has a price. */
const isPriced = (path: string): boolean => Object.hasOwn(RATE_CARD, path);

type PriceFlags = ConfigFlags & { json?: boolean; from?: string };

/** Parses prices from arguments such as `/v1/geocode/address=2`. The endpoints must have a price in the card or in the program. */
function changesOf(texts: readonly string[]): Record<string, number> {
  if (texts.length === 0) throw new EtlError('config_invalid', 'prices set: give <endpoint>=<cents>.');
  const pairs = texts.map((text) => {
    const match = /^(\/\S+)=(\d{1,9})$/.exec(text);
    if (match === null)
      throw new EtlError('config_invalid', `prices set ${text}: write it as <endpoint>=<cents>.`);
    return [match[1]!, Number(match[2])] as const;
  });
  return Object.fromEntries(pairs);
}

function timeOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new EtlError('config_invalid', `--from ${text}: give a time such as 2027-01-01T00:00:00Z.`);
  return time.toISOString();
}

const render = (cards: readonly RateCard[]): string => {
  const newest = cards.at(-1)!;
  const versions = cards.map(({ version, effective_at }) => `card ${version} from ${effective_at}`);
  const rows = Object.entries(newest.prices)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([endpoint, cents]) => [endpoint, String(cents)]);
  return `${versions.join('\n')}\n\nprices of card ${newest.version}, cents\n${columns(rows)}`;
};

/** Shows the rate cards of the service, or adds one with changed prices from a given time. */
export async function pricesCommand(
  action: string,
  texts: readonly string[],
  flags: PriceFlags,
): Promise<void> {
  if (action !== 'show' && action !== 'set')
    throw new EtlError('config_invalid', `prices ${action}: there are show and set.`);
  const changes = action === 'set' ? changesOf(texts) : null;
  const from = timeOf(flags.from);
  const { config } = await loadConfig(flags);
  const cards = await withDatabase(config, async (url) => {
    const pool = openPool(url, 1);
    const client = await pool.connect();
    try {
      await setUpAccounts(client);
      await firstRateCard(client, RATE_CARD_VERSION, RATE_CARD);
      if (changes !== null) {
        const unknown = Object.keys(changes).filter((path) => !isPriced(path));
        if (unknown.length > 0)
          throw new EtlError('config_invalid', `prices set: there is no endpoint ${unknown.join(', ')}.`);
        await addRateCard(client, changes, from);
      }
      return await rateCards(client);
    } finally {
      client.release();
      await pool.end();
    }
  });
  printLine(flags.json ? JSON.stringify(cards) : render(cards));
}
