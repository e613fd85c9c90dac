/**
 * Makes a file of sales of any size from a real one, for `pipeline evaluate`: `npx tsx tools/bench/avm_sales.ts <melb_data.csv> <out.csv>
 * [sales] [seed]`. Sold rows (S, SP, SA) are taken in turn, shuffled; each beyond the first round is another home near by: place moved by up
 * to 200 m, price by a normal error of 6 %, land and floor by 5 %, date by up to 20 days.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { seededRandom, shuffleFirst } from '../../transforms/stats/random.ts';

const [file, out] = process.argv.slice(2);
const SALES = Number(process.argv[4] ?? 25_000);
const SEED = Number(process.argv[5] ?? 1);
if (!file || !out)
  throw new Error('usage: npx tsx tools/bench/avm_sales.ts <melb_data.csv> <out.csv> [sales] [seed]');

const SOLD = ['S', 'SP', 'SA'];
const MOVE_DEG = 0.0018;
const MOVE_DAYS = 20;
const DAY_MS = 86_400_000;

const [head, ...rows] = parse(readFileSync(file), { bom: true }) as string[][];
const column = (name: string): number => {
  const at = head!.indexOf(name);
  if (at < 0) throw new Error(`${file} has no column ${name}`);
  return at;
};
const [ADDRESS, PRICE, DATE, METHOD] = ['Address', 'Price', 'Date', 'Method'].map(column) as [
  number,
  number,
  number,
  number,
];
const [LAT, LON] = ['Lattitude', 'Longtitude'].map(column) as [number, number];
const SIZES = ['Landsize', 'BuildingArea'].map(column);

const random = seededRandom(SEED, 1);
const sold = rows.filter((row) => SOLD.includes(row[METHOD]!));
const order = Int32Array.from(sold, (_, i) => i);
shuffleFirst(order, order.length, random);

/** Normal with mean 0 and standard deviation 1, nearly: the sum of twelve uniform numbers. */
const normal = (): number => Array.from({ length: 12 }, random.next).reduce((sum, own) => sum + own, -6);
const around = (text: string, by: number, digits: number): string =>
  text === '' ? '' : (Number(text) + (2 * random.next() - 1) * by).toFixed(digits);
const scaled = (text: string, by: number): string =>
  text === '' ? '' : String(Math.round(Number(text) * Math.exp(by * normal())));

function movedDate(text: string): string {
  const [day, month, year] = text.split('/').map(Number) as [number, number, number];
  const moved = new Date(
    Date.UTC(year, month - 1, day) + (random.int(2 * MOVE_DAYS + 1) - MOVE_DAYS) * DAY_MS,
  );
  return `${moved.getUTCDate()}/${moved.getUTCMonth() + 1}/${moved.getUTCFullYear()}`;
}

function anotherHome(row: readonly string[], round: number): string[] {
  const made = [...row];
  made[ADDRESS] = `${row[ADDRESS]} ${round}`;
  made[LAT] = around(row[LAT]!, MOVE_DEG, 5);
  made[LON] = around(row[LON]!, MOVE_DEG, 5);
  made[PRICE] = scaled(row[PRICE]!, 0.06);
  for (const size of SIZES) made[size] = scaled(row[size]!, 0.05);
  made[DATE] = movedDate(row[DATE]!);
  return made;
}

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const made = Array.from({ length: SALES }, (_, i) => {
  const row = sold[order[i % sold.length]!]!;
  const round = Math.floor(i / sold.length);
  return round === 0 ? row : anotherHome(row, round);
});
writeFileSync(out, `${[head!, ...made].map((row) => row.map(quoted).join(',')).join('\n')}\n`);
