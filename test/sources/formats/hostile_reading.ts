import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { EtlError } from '../../../schema/errors.ts';
import type { SourceAdapter } from '../../../sources/adapter.ts';
import type { FeatureFormat } from '../../../sources/formats/feature.ts';
import { readDelimited } from '../../../sources/formats/table/delimited.ts';
import { openWorkbook } from '../../../sources/formats/table/workbook.ts';
import { openFeatureFile } from '../../../sources/formats/vector/feature_file.ts';
import { gnafAdapter } from '../../../sources/gnaf/adapter.ts';
import { osmAdapter } from '../../../sources/places/osm/adapter.ts';
import { listingElements } from '../../../sources/reaxml/elements.ts';
import { gtfsAdapter } from '../../../sources/transport/gtfs/adapter.ts';
import { datasetOf } from '../release_folder.ts';

/** What came of reading a file: how many rows were good, the codes of the others, and the error that ended it. */
export interface Outcome {
  rows: number;
  rejects: string[];
  /** `code` of an EtlError, or `name: message` of anything else, which no file may cause. */
  error: string | null;
  /** True where the error is an EtlError whose message names the file, or the dataset or release where the file is none of its format. */
  isNamed: boolean;
  /** Number of the feature at which the error ended the reading; null: it names none. */
  feature: number | null;
  message: string;
  /** What a source says of a release that lacks something. */
  notes: string[];
}

type Tally = (code: string | null) => void;
type Reader = (path: string, tally: Tally, notes: string[]) => Promise<void>;

const features =
  (format: FeatureFormat, layer: string | null = null, member: string | null = null) =>
  async (path: string, tally: Tally): Promise<void> => {
    const source = { path, format, member, layer, file: basename(path), crs: 'EPSG:7844' };
    const file = await openFeatureFile(source);
    for await (const batch of file.batches()) {
      for (let row = 0; row < batch.count; row++) {
        const problem = batch.problem(row);
        for (const field of file.fields) batch.text(row, field);
        const shape = problem === null ? batch.shape(row) : null;
        tally(problem?.code ?? (shape?.kind === 'reject' ? shape.reject.code : null));
      }
    }
  };

async function psv(path: string, tally: Tally): Promise<void> {
  const source = { file: path, chunks: createReadStream(path), delimiter: '|' };
  for await (const rows of readDelimited(source, ['ID', 'NAME'], (_line, code) => tally(code))) {
    while (rows.next()) {
      rows.text(0);
      tally(null);
    }
  }
}

async function xlsx(path: string, tally: Tally): Promise<void> {
  const workbook = await openWorkbook(path, basename(path));
  for (const sheet of workbook.sheets) for (const _row of await workbook.read(sheet)) tally(null);
}

async function xml(path: string, tally: Tally): Promise<void> {
  for await (const _each of listingElements({ path, member: null, file: basename(path) })) tally(null);
}

const adapted =
  (adapter: SourceAdapter): Reader =>
  async (path, tally, notes) => {
    const { release, parts } = await adapter.discover(await datasetOf(dirname(path)));
    notes.push(...release.notes);
    for (const part of parts)
      for await (const { accounts = [], rejects = [] } of adapter.readPart(release, part, {})) {
        for (const { rows_in, records, rejects: set, drops } of accounts) {
          const kept = rows_in - set;
          const dropped = Object.values(drops).reduce((sum, n) => sum + n, 0);
          if (kept !== records + dropped)
            throw new Error(`${rows_in} rows: ${records} records, ${dropped} drops`);
          for (let i = 0; i < kept; i++) tally(null);
        }
        for (const { code } of rejects) tally(code);
      }
  };

/** Readers by kind of file. */
const READERS: Readonly<Record<string, Reader>> = {
  csv: features('csv'),
  psv,
  shapefile: features('shapefile'),
  zip: features('shapefile', null, 'layer.shp'),
  geojson: features('geojson'),
  ndjson: features('ndjson'),
  gz: features('geojson'),
  geopackage: features('geopackage', 'layer'),
  flatgeobuf: features('flatgeobuf'),
  parquet: features('parquet'),
  xlsx,
  xml,
  pbf: adapted(osmAdapter),
  nested: adapted(gtfsAdapter),
  gnaf: adapted(gnafAdapter),
};

/** Reads a file to its end or error. */
export async function outcomeOf(kind: string, path: string): Promise<Outcome> {
  const outcome: Outcome = {
    rows: 0,
    rejects: [],
    error: null,
    isNamed: true,
    feature: null,
    message: '',
    notes: [],
  };
  const codes = new Set<string>();
  try {
    await READERS[kind]!(
      path,
      (code) => {
        if (code === null) outcome.rows++;
        else codes.add(code);
      },
      outcome.notes,
    );
  } catch (thrown) {
    const { name, code, message, details } = thrown as EtlError;
    outcome.message = message;
    outcome.feature = (details?.feature as number | undefined) ?? null;
    outcome.error = name === 'EtlError' ? code : `${name}: ${message}`;
    outcome.isNamed =
      name === 'EtlError' && (message.includes(basename(path)) || /^(dataset |G-NAF: )/.test(message));
  }
  outcome.rejects = [...codes].sort();
  return outcome;
}
