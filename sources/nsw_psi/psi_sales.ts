import type { Problem } from '../formats/feature.ts';

/** A sale of the register, its fields as published; '': not stated. */
export interface PsiSale {
  readonly district: string;
  readonly property_id: string;
  /** Valuation number; only the archive states it. */
  readonly valuation: string;
  /** `YYYYMMDD HH:MM`. */
  readonly downloaded: string;
  readonly unit: string;
  readonly house_number: string;
  readonly street: string;
  readonly locality: string;
  readonly postcode: string;
  readonly area: string;
  /** M square metres, H hectares; U or '': unknown. */
  readonly area_type: string;
  readonly contract: string;
  readonly settlement: string;
  readonly price: string;
  /** V vacant, R residence, 3 other; '' in the archive. */
  readonly nature: string;
  readonly purpose: string;
  readonly strata_lot: string;
  /** Percent that was sold; 0 or '': the whole. */
  readonly interest: string;
  readonly dealing: string;
  /** Legal description, joined from its rows. */
  readonly legal: string;
}

/** A sale of a file, or a row that is rejected; `drop` names rows that are left out. */
export interface PsiRow {
  /** Line of the sale's B row, from 1. */
  readonly line: number;
  readonly sale: PsiSale | Problem | { readonly drop: string };
}

/** Fields of a B row, including its letter and the empty field at its end. */
const CURRENT_FIELDS = 25;
const ARCHIVE_FIELDS = 22;
const DATETIME = /^\d{8} \d\d:\d\d(:\d\d)?$/;

const fieldsOf = (line: string): string[] => line.split(';').map((field) => field.trim());

/** Reads a sale in the format used since July 2001. */
function currentSale(f: readonly string[], legal: string): PsiSale {
  const at = (index: number): string => f[index] ?? '';
  return {
    district: at(1),
    property_id: at(2),
    valuation: '',
    downloaded: at(4),
    unit: at(6),
    house_number: at(7),
    street: at(8),
    locality: at(9),
    postcode: at(10),
    area: at(11),
    area_type: at(12),
    contract: at(13),
    settlement: at(14),
    price: at(15),
    nature: at(17),
    purpose: at(18),
    strata_lot: at(19),
    interest: at(22),
    dealing: at(23),
    legal,
  };
}

/** Reads a sale in the archive format of 1990 to 2001, which has no settlement, dealing or rows of description. */
function archiveSale(f: readonly string[], downloaded: string): PsiSale {
  const at = (index: number): string => f[index] ?? '';
  return {
    district: at(1),
    property_id: at(4) === '' ? at(3) : at(4),
    valuation: at(3),
    downloaded,
    unit: at(5),
    house_number: at(6),
    street: at(7),
    locality: at(8),
    postcode: at(9),
    contract: at(10),
    settlement: '',
    price: at(11),
    legal: at(12),
    area: at(13),
    area_type: at(14),
    nature: '',
    purpose: '',
    strata_lot: '',
    interest: '',
    dealing: '',
  };
}

/** Returns the text of a C row, which lacks the property id if the sale has none. */
const legalOf = (f: readonly string[]): string => (DATETIME.test(f[3] ?? '') ? f[4] : f[5]) ?? '';

/** File type of the archive, in its A row and in each B row. */
const ARCHIVE = /VALNET|ARCHIVE/i;

/** Facts in the A row about the whole file. */
interface Head {
  readonly archive: boolean;
  readonly downloaded: string;
}

function headOf(fields: readonly string[]): Head {
  const archive = fields[1] === '' && ARCHIVE.test(fields[2] ?? '');
  return { archive, downloaded: fields.find((field) => DATETIME.test(field)) ?? '' };
}

/** Returns how the closing row contradicts the rows read; null: it does not. Some files of 2011 count no D rows. */
function trailerProblem(
  f: readonly string[],
  counts: Readonly<Record<string, number>>,
  archive: boolean,
): string | null {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  // a file that was split may lack the A row that its closing row counts
  const isWithoutHead = counts.A === undefined && Number(f[1]) === total + 1;
  const expected: [string, string | undefined, number | undefined][] = [
    ['rows', f[1], isWithoutHead ? total + 1 : total],
    ['B', f[2], counts.B],
  ];
  if (!archive) expected.push(['C', f[3], counts.C]);
  if (!archive && f[4] !== '0') expected.push(['D', f[4], counts.D]);
  const wrong = expected.filter(([, stated, counted]) => stated !== '' && Number(stated) !== (counted ?? 0));
  if (wrong.length === 0) return null;
  return `the closing row states ${wrong.map(([what, stated, counted]) => `${stated} ${what} where ${counted ?? 0} were read`).join(', ')}`;
}

/**
 * Reads the sales of one district's file in any of three formats: since 2001 with or without the file type in its A row, and the older
 * archive, with or without its A row. C rows are joined before they are parsed. If the closing row is missing or its counts differ, the file also yields one problem
 * `bad_trailer`.
 */
export function* salesOf(text: string): Generator<PsiRow> {
  const counts: Record<string, number> = {};
  let head: Head = { archive: false, downloaded: '' };
  let open: { line: number; fields: string[]; legal: string } | null = null;
  let closed = false;
  let number = 0;
  const close = function* (): Generator<PsiRow> {
    if (open !== null) yield { line: open.line, sale: saleOf(open.fields, open.legal, head) };
    open = null;
  };
  for (const line of text.split(/\r?\n/)) {
    number++;
    if (line.trim() === '') continue;
    const fields = fieldsOf(line);
    const letter = fields[0]!.toUpperCase();
    counts[letter] = (counts[letter] ?? 0) + 1;
    if (letter === 'A') head = headOf(fields);
    else if (letter === 'B') {
      yield* close();
      // a file without its A row: its B rows state the archive
      if (counts.A === undefined) head = { archive: ARCHIVE.test(fields[2] ?? ''), downloaded: '' };
      open = { line: number, fields, legal: '' };
    } else if (letter === 'C' && open !== null) (open as { legal: string }).legal += legalOf(fields);
    else if (letter === 'Z') {
      yield* close();
      closed = true;
      const wrong = trailerProblem(fields, counts, head.archive);
      if (wrong !== null) yield { line: number, sale: { code: 'bad_trailer', message: wrong } };
    } else if (letter !== 'D' && letter !== 'C')
      yield {
        line: number,
        sale: { code: 'bad_code', message: `a row of the kind "${letter.slice(0, 20)}"` },
      };
    else if (open === null) yield { line: number, sale: { drop: 'no_sale' } };
  }
  yield* close();
  if (!closed)
    yield {
      line: number,
      sale: { code: 'bad_trailer', message: 'the file ends without its closing row: it is cut' },
    };
}

function saleOf(fields: readonly string[], legal: string, head: Head): PsiSale | Problem {
  const names = head.archive ? ARCHIVE_FIELDS : CURRENT_FIELDS;
  // the empty field at the end may be missing
  if (fields.length !== names && fields.length !== names - 1)
    return {
      code: fields.length < names ? 'short_row' : 'long_row',
      message: `${fields.length} fields instead of ${names}`,
    };
  return head.archive ? archiveSale(fields, head.downloaded) : currentSale(fields, legal);
}
