import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { RENT_BOUNDS } from '../../transforms/market/rent.ts';
import type {
  Batch,
  DatasetConfig,
  InputAccount,
  Part,
  RecordBatch,
  Release,
  SourceAdapter,
} from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import type { MarketEvent } from '../formats/market_event.ts';
import { EventNotes } from '../formats/market_event_notes.ts';
import { marketEvent } from '../formats/market_event_row.ts';
import { parseOptions } from '../formats/options.ts';
import { releaseLabel } from '../formats/release_label.ts';
import { RepeatedKeys } from '../formats/repeated_keys.ts';
import { Tally } from '../formats/tally.ts';
import { listZip, missingFile } from '../formats/zip.ts';
import { datFiles, isDelivery } from './dat_files.ts';
import { identityOf, isPartial, propertyOf, rawOf } from './event.ts';
import { type PsiSale, salesOf } from './sales.ts';

const BATCH_ROWS = 2048;

/** One delivery: a year, a week, or a file of a district. */
interface PsiPart {
  readonly path: string;
  readonly file: string;
  readonly dataset: string;
}

/**
 * Property sales information of the NSW Valuer General: zips of years, weeks and districts, in the formats since 2001 and of the
 * archive before. A part is a file of the release. A sale that is published again in it counts by its latest download;
 * one that a later file corrects has the same event_key, as long as its date of contract is the same.
 */
export const nswPsiAdapter: SourceAdapter = {
  name: 'nsw_psi',
  version: 1,
  place: 'line',
  title: 'NSW property sales information',
  publisher: 'Valuer General NSW',
  licence: 'CC-BY-4.0',
  attribution: '© State of New South Wales through the Valuer General.',
  tables: [marketEventRecord],
  discover,
  read,
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  parseOptions(z.strictObject({}), dataset);
  const parts: Part[] = [];
  for (const { path } of dataset.files) {
    await stat(path).catch((error: unknown) => {
      throw missingFile(path, error);
    });
    if (!isDelivery(path)) continue;
    const name = basename(path);
    if (/\.zip$/i.test(path) && (await listZip(path, isDelivery)).length === 0)
      throw new EtlError('missing_file', `${name}: the zip holds neither a .DAT file nor a zip of them.`, {
        details: { file: name },
      });
    const file = parts.some((part) => part.id === name) ? path : name;
    parts.push({ id: file, files: [path], source: { path, file, dataset: dataset.id } satisfies PsiPart });
  }
  if (parts.length === 0)
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: none of its ${dataset.files.length} files is a .zip or a .DAT. Check the configured pattern.`,
      { details: { dataset: dataset.id } },
    );
  const names = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  const crs = { applied: 'EPSG:7844', stated: null, overridden: false };
  return { release: { dataset, id: dataset.release ?? releaseLabel(dataset, names), crs, notes: [] }, parts };
}

/** What must be known of a whole part before its first sale can be written. */
interface Survey {
  /** Sales, by their number among those of the part that are no rejects, that a later download replaces. */
  readonly replaced: ReadonlySet<number>;
  /** Dealings of several properties: each of their sales states the price of all. */
  readonly multi: ReadonlySet<string>;
}

async function surveyOf(source: PsiPart, signal?: AbortSignal): Promise<Survey> {
  const keys = new RepeatedKeys();
  const first = new Map<string, string>();
  const multi = new Set<string>();
  for await (const { text } of datFiles(source.path, signal)) {
    for (const { sale } of salesOf(text)) {
      if (!isSale(sale) || 'code' in eventOf(sale, 0, source, new EventNotes(), null)) continue;
      keys.add(identityOf(sale), Number(sale.downloaded.replace(/\D/g, '')));
      if (sale.dealing === '') continue;
      const property = propertyOf(sale);
      const known = first.get(sale.dealing);
      if (known === undefined) first.set(sale.dealing, property);
      else if (known !== property) multi.add(sale.dealing);
    }
  }
  return { replaced: keys.replaced(), multi };
}

/** The record of a sale; `multi` null: not known yet which dealings are of several properties. */
function eventOf(
  sale: PsiSale,
  line: number,
  { dataset, file }: PsiPart,
  notes: EventNotes,
  multi: ReadonlySet<string> | null,
): MarketEvent | Problem {
  const noEvidence = isPartial(sale)
    ? 'partial_interest'
    : multi?.has(sale.dealing)
      ? 'multi_property'
      : null;
  const context = {
    dataset,
    file,
    date_order: 'dmy',
    rent_bounds: RENT_BOUNDS,
    as_of: null,
    state: 'NSW',
  } as const;
  return marketEvent(rawOf(sale), line, { ...context, notes, noEvidence });
}

const isSale = (sale: object): sale is PsiSale => 'contract' in sale;

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  signal?.throwIfAborted();
  const source = part.source as PsiPart;
  const survey = await surveyOf(source, signal);
  const notes = new EventNotes();
  const accounts: InputAccount[] = [];
  let rows: MarketEvent[] = [];
  let number = 0;
  for await (const dat of datFiles(source.path, signal)) {
    const tally = new Tally(dat.file, marketEventRecord.name);
    for (const { line, sale } of salesOf(dat.text)) {
      tally.rows_in++;
      if (!isSale(sale)) {
        if ('drop' in sale) tally.drop(sale.drop);
        else tally.reject(line, sale.code, sale.message);
        continue;
      }
      const row = eventOf(sale, line, source, notes, survey.multi);
      if ('code' in row) tally.reject(line, row.code, row.message);
      else if (survey.replaced.has(number++)) tally.drop('superseded');
      else {
        tally.records++;
        rows.push(row);
      }
    }
    accounts.push(...tally.accounts());
    const rejects = tally.takeRejects();
    if (rows.length < BATCH_ROWS && rejects.length === 0) continue;
    yield { records: batchOf(rows), rejects };
    rows = [];
  }
  yield { records: batchOf(rows), accounts, notes: notes.sentences(source.file, 'dmy') };
}

const batchOf = (rows: MarketEvent[]): RecordBatch[] =>
  rows.length === 0 ? [] : [{ table: marketEventRecord, rows } as unknown as RecordBatch];
