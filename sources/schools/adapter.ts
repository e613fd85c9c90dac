import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import { recogniseCrs } from '../../transforms/geo/crs.ts';
import type { DatasetConfig, Part, RecordBatch, Release, SourceAdapter, SourceBatch } from '../adapter.ts';
import { readCsvRows } from '../formats/table/csv_rows.ts';
import { openWorkbook } from '../formats/table/workbook.ts';
import { toGda2020ByGrid } from '../formats/vector/datum_grid.ts';
import { filesOf, releaseOf } from '../release/file_release.ts';
import { withCoverage } from '../release/with_coverage.ts';
import { mergeSchools } from './merge.ts';
import { readSchoolOptions, type SchoolOptions } from './options.ts';
import { checkHeader, readSchoolFile, type SchoolFile, type SchoolSource } from './school_file.ts';

const BATCH_ROWS = 4096;
/** Assumed CRS: lists state longitude and latitude without a datum. GDA2020 differs from WGS84 by centimetres. */
const ASSUMED_CRS = 'EPSG:7844';
const SCHOOL_SHEET = /^school ?(location|profile)/i;
const OTHER_SHEET = /dictionary|read ?me|notes|contents|about|disclaimer/i;

interface SchoolsPart {
  readonly sources: readonly SchoolSource[];
  readonly options: SchoolOptions;
}

/** Reads schools from ACARA's location and profile workbooks or CSV, Victoria's school locations, or another list by its field map. */
export const schoolsAdapter: SourceAdapter = withCoverage('school', {
  name: 'schools',
  version: 10,
  placeUnit: 'line',
  title: 'School locations and profiles',
  publisher: 'Australian Curriculum, Assessment and Reporting Authority; state education departments',
  licence: 'My School terms of use',
  attribution: 'Contains school data of ACARA or of the state named in the dataset.',
  tables: [schoolRecord],
  checkOptions: readSchoolOptions,
  async discover(dataset) {
    const options = readSchoolOptions(dataset);
    const files = filesOf(dataset, /\.(xlsx|csv)$/i, 'an .xlsx workbook or a .csv');
    const sources: SchoolSource[] = [];
    for (const { path } of files) {
      const source = await sourceOf(path);
      await checkHeader(source, options);
      sources.push(source);
    }
    return {
      release: releaseOf(dataset, { id: labelOf(sources), crs: crsOf(dataset) }),
      parts: [{ id: 'schools', source: { sources, options } satisfies SchoolsPart }],
    };
  },
  readPart: readPart,
});

/** Opens a file and reads its sheet names or its header. */
async function sourceOf(path: string): Promise<SchoolSource> {
  const file = basename(path);
  if (/\.csv$/i.test(path)) {
    for await (const _ of readCsvRows(path, file)) break;
    return { path, file, sheet: null };
  }
  const { sheets } = await openWorkbook(path, file);
  const sheet =
    sheets.find((name) => SCHOOL_SHEET.test(name)) ?? sheets.find((name) => !OTHER_SHEET.test(name));
  if (sheet !== undefined) return { path, file: `${file} › ${sheet}`, sheet };
  throw new EtlError(
    'missing_sheet',
    `${file}: no sheet holds schools; there are ${sheets.join(', ')}. Check that it is the right workbook.`,
    { details: { file, sheets } },
  );
}

/** Returns the release label: the latest year in the name of a sheet or file, else the name of the first file. */
function labelOf(sources: readonly SchoolSource[]): string {
  const years = sources.flatMap(({ file }) => file.match(/(?<!\d)20\d\d(?!\d)/g) ?? []);
  return years.sort().at(-1) ?? sources[0]!.file;
}

const crsOf = (dataset: DatasetConfig): Release['crs'] => ({
  applied: dataset.crs ?? ASSUMED_CRS,
  stated: null,
  overridden: false,
});

async function* readPart(
  release: Release,
  part: Part,
  context: { signal?: AbortSignal },
): AsyncIterable<SourceBatch> {
  const { sources, options } = part.source as SchoolsPart;
  context.signal?.throwIfAborted();
  const move = toGda2020ByGrid(
    recogniseCrs(release.crs.applied, release.dataset.id),
    release.dataset.datum_grid,
  );
  const files: SchoolFile[] = [];
  for (const source of sources) {
    const file = await readSchoolFile(source, { ...options, toGda2020: move }, context.signal);
    yield { rejects: file.tally.takeRejects() };
    files.push(file);
  }
  const { records, notes } = mergeSchools(files);
  for (let i = 0; i < records.length; i += BATCH_ROWS) {
    context.signal?.throwIfAborted();
    yield { records: [{ table: schoolRecord, rows: records.slice(i, i + BATCH_ROWS) } as RecordBatch] };
  }
  yield { accounts: files.flatMap(({ tally }) => tally.accounts()), notes };
}
