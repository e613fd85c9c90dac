import { basename } from 'node:path';
import { z } from 'zod';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { DatasetConfig, Part, Release, SourceAdapter } from '../adapter.ts';
import { listZip } from '../formats/archive/zip.ts';
import type { EventContext } from '../market/market_event.ts';
import { marketEvent } from '../market/market_event_row.ts';
import { type EventRow, readEvents } from '../market/market_reading.ts';
import { RENT_BOUNDS } from '../market/words/rent.ts';
import { filesOf, type NamedFile, noFile, releaseOf } from '../release/file_release.ts';
import { parseOptions } from '../release/options.ts';
import { DELIVERY, datFiles } from './dat_files.ts';
import { type PsiRow, type PsiSale, salesOf } from './psi_sales.ts';
import { isPartial, propertyOf, rankOf, rawEventOf, saleIdentity } from './raw_event.ts';

/** One delivery: a year, a week, or the file of a district. */
interface PsiPart extends NamedFile {
  readonly dataset: string;
}

/**
 * Reads the property sales information of the NSW Valuer General: zips of years, weeks and districts, in the current format (since 2001)
 * and the older archive format. A part is a file of the release. A sale that is published repeatedly in it counts by its latest download. A
 * later file's correction has the same event_key, if its date of contract is the same.
 */
export const nswPsiAdapter: SourceAdapter = {
  name: 'nsw_psi',
  version: 4,
  placeUnit: 'line',
  title: 'NSW property sales information',
  publisher: 'Valuer General NSW',
  licence: 'CC-BY-4.0',
  attribution: '© State of New South Wales through the Valuer General.',
  tables: [marketEventRecord],
  checkOptions: (dataset) => parseOptions(z.strictObject({}), dataset),
  discover,
  readPart: (_release, part, { signal }) => {
    const source = part.source as PsiPart;
    const dealings = new Dealings();
    return readEvents({
      file: source.file,
      date_order: 'dmy',
      async *inputs(notes, pass) {
        const context: EventContext = { ...CONTEXT, dataset: source.dataset, file: source.file, notes };
        for await (const { file, text } of datFiles(source.path, signal))
          yield { file, rows: rowsOf(text, context, dealings, pass === 'survey') };
      },
    });
  },
};

const CONTEXT = { date_order: 'dmy', rent_bounds: RENT_BOUNDS, as_of: null, state: 'NSW' } as const;

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const files = filesOf(dataset, DELIVERY, 'a .zip or a .DAT');
  for (const { path } of files) {
    if (/\.zip$/i.test(path) && (await listZip(path, (name) => DELIVERY.test(name))).length === 0)
      throw noFile(dataset, `a .DAT, nor are members of ${basename(path)}`);
  }
  const parts = files.map((file): Part => {
    const source: PsiPart = { ...file, dataset: dataset.id };
    return { id: file.file, files: [file.path], source };
  });
  return { release: releaseOf(dataset), parts };
}

/** Finds dealings of several properties: each of their sales states the price of all. Complete once all sales were added. */
class Dealings {
  readonly #first = new Map<string, string>();
  readonly #several = new Set<string>();

  add(sale: PsiSale): void {
    if (sale.dealing === '') return;
    const property = propertyOf(sale);
    const previous = this.#first.get(sale.dealing);
    if (previous === undefined) this.#first.set(sale.dealing, property);
    else if (previous !== property) this.#several.add(sale.dealing);
  }

  isOfSeveral = (sale: PsiSale): boolean => this.#several.has(sale.dealing);
}

const isSale = (sale: PsiRow['sale']): sale is PsiSale => 'contract' in sale;

/** Reads the rows of one file of a district; the survey pass adds the sales that are events to the dealings. */
function* rowsOf(
  text: string,
  context: EventContext,
  dealings: Dealings,
  isSurvey: boolean,
): Generator<EventRow> {
  for (const { line, sale } of salesOf(text)) {
    if (!isSale(sale)) {
      yield { line, event: sale };
      continue;
    }
    const noEvidence = isPartial(sale)
      ? 'partial_interest'
      : dealings.isOfSeveral(sale)
        ? 'multi_property'
        : null;
    const event = marketEvent(rawEventOf(sale), line, { ...context, noEvidence });
    if (isSurvey && !('code' in event)) dealings.add(sale);
    yield { line, event, key: [saleIdentity(sale), rankOf(sale)] };
  }
}
