import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { parse } from 'csv-parse/sync';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { PbfReader } from 'pbf';
import { PMTiles, tileIdToZxy } from 'pmtiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import { type ExportFormat, exportTables } from '../../pipelines/export/export.ts';
import { silent } from '../../pipelines/report/progress.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import { openPool, withClient } from '../../store/database.ts';
import { TOWN } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { CHROMIUM, launch, openWindow } from '../ops/browser.ts';
import { editTable } from '../pipelines/damage.ts';
import { pmtilesFile } from '../pipelines/export/pmtiles_file.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { HANG_MS } from '../waiting.ts';

const BIDI = '\u202e';
/** Texts of a file, each at another place of it. An element of this name is in no page of ours. */
const TEXTS = [
  `<X-EVIL>`,
  `"><X-EVIL A="`,
  `' ONCLICK='X-EVIL()`,
  `</SCRIPT><X-EVIL>`,
  `</TITLE></TEXTAREA><X-EVIL>`,
  `]]><!--<X-EVIL>-->`,
  `=CMD|'/C CALC'!A0`,
  `@SUM(1)`,
  `\uff1dHYPERLINK(1)`,
  `${BIDI}EVIL`,
  `%3CX-EVIL%3E`,
  `\${7*7}{{7*7}}`,
];
const LONG = `<X-EVIL>${'LONG '.repeat(20_000)}`;
const PAGE_BYTES = 2_000_000;
/** A text that a spreadsheet would run. */
const FORMULA = /^[=@+\-\uff1d\uff0b\uff0d\uff20\t\r\n]/;

/** Pages of a console that are reached from these paths, and from links on them. */
async function crawl(start: readonly string[], get: (path: string) => Promise<Response>, most: number) {
  const pages = new Map<string, { status: number; type: string; text: string }>();
  const waiting = [...start];
  const kinds = new Map<string, number>();
  for (let path = waiting.shift(); path !== undefined && pages.size < most; path = waiting.shift()) {
    // A few pages of each kind are enough.
    const kind = path.replace(/[?#].*/, '').replace(/(?<=^\/[a-z_]+\/)[^/]+/, '*');
    const seen = kinds.get(kind) ?? 0;
    if (pages.has(path) || (seen >= 8 && !start.includes(path))) continue;
    kinds.set(kind, seen + 1);
    const answer = await get(path);
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    pages.set(path, { status: answer.status, type, text });
    if (!type.startsWith('text/html')) continue;
    for (const [, href] of text.matchAll(/href="(\/[^"#]*)/g)) waiting.push(href!.replaceAll('&amp;', '&'));
  }
  return pages;
}

describe('texts of hostile files', () => {
  let database: TestDatabase;
  let dir: string;
  let server: OpsServer;
  let pid: string;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(TOWN));
    /** Rewrites one column of a table of G-NAF; a line with fewer fields stays. */
    const editColumn = (table: string, column: string, newText: (i: number) => string) =>
      editTable(dir, table, (lines) => {
        const at = lines[0]!.split('|').indexOf(column);
        return lines.map((line, i) => {
          const fields = line.split('|');
          return i === 0 || fields.length <= at
            ? line
            : fields.with(at, newText(i).replaceAll('|', '!')).join('|');
        });
      });
    await editColumn('VIC_ADDRESS_DETAIL', 'BUILDING_NAME', (i) =>
      i === 2 ? LONG : TEXTS[i % TEXTS.length]!,
    );
    await editColumn('NT_STREET_LOCALITY', 'STREET_NAME', (i) => TEXTS[i % 5]!);
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    /** Rewrites one column of a CSV file. */
    const editCsv = async (
      path: string,
      column: string,
      delimiter: string,
      newValue: (value: string, i: number) => string,
    ) => {
      const rows = parse(await readFile(path, 'utf8'), { delimiter, relaxColumnCount: true }) as string[][];
      const at = rows[0]!.indexOf(column);
      expect(at, `${path} ${column}`).toBeGreaterThanOrEqual(0);
      const edited = rows.map((row, i) => (i === 0 ? row : row.with(at, newValue(row[at]!, i))));
      await writeFile(path, `${edited.map((row) => row.map(quoted).join(delimiter)).join('\n')}\n`);
    };
    const text = (_value: string, i: number): string => TEXTS[i % TEXTS.length]!;
    await editCsv(join(dir, 'places/nt/places.csv'), 'Name', ',', (value, i) =>
      i === 1 ? LONG : text(value, i),
    );
    await editCsv(join(dir, 'hazards/nsw/EPA_contaminated_sites.csv'), 'sitename', ',', text);
    // Values that are rejected, and addresses that match no property, are shown by reports.
    await editCsv(join(dir, 'sales/tasmania.csv'), 'Contract date', ';', (value, i) =>
      i % 3 === 0 ? text(value, i) : value,
    );
    await editCsv(join(dir, 'sales/tasmania.csv'), 'Property address', ';', (value, i) =>
      i % 3 === 1 ? (i === 1 ? LONG : text(value, i)) : value,
    );
    for (const name of await readdir(join(dir, 'listings')))
      if (name.endsWith('2026-06-30.csv'))
        await editCsv(join(dir, 'listings', name), 'price_text', ',', text);
    const report = await refreshSample(database, dir, [
      ...OPEN_GATES,
      'audit.sample=0',
      'gates.rejects_share_max=1',
    ]);
    expect(report.state).toBe('published');
    [{ pid }] = (await database.query(
      `SELECT min(gnaf_pid) AS pid FROM serving.property WHERE building_name LIKE '%X-EVIL%'`,
    )) as [{ pid: string }];
    const { config } = await loadConfig({ config: `${dir}/config.yaml`, set: ['ops.port=0'] }, {});
    server = await startOps(database.url, config);
  });
  afterAll(async () => {
    await server?.close();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('are texts in every page of the console, and never markup, however long they are', async () => {
    expect(pid).toMatch(/^GAVIC/);
    const longest = (
      await database.query<{ pid: string }>(
        'SELECT gnaf_pid AS pid FROM serving.property ORDER BY length(building_name) DESC NULLS LAST LIMIT 1',
      )
    )[0]!.pid;
    const others = await database.query<{ pid: string }>(
      `SELECT DISTINCT ON (state) gnaf_pid AS pid FROM serving.property ORDER BY state, gnaf_pid`,
    );
    const query = encodeURIComponent(TEXTS[1]!);
    const pages = await crawl(
      [
        '/',
        '/runs/1',
        '/runs/2',
        '/runs',
        '/datasets',
        '/tables',
        '/map',
        '/operate',
        '/accuracy',
        '/metrics/plots',
        `/property?q=${query}`,
        `/find?q=${query}`,
        `/sql?q=${encodeURIComponent(`SELECT '${TEXTS[3]}' AS "${TEXTS[0]}"`)}`,
        `/sql?q=${query}`,
        `/nowhere/${query}`,
        `/datasets/${query}`,
        `/jobs/${query}`,
        `/lineage?of=${query}`,
        `/suburb/${query}`,
        ...[pid, longest, ...others.map((row) => row.pid)].flatMap((id) => [
          `/property/${id}`,
          `/property/${id}/report`,
          `/property/${id}/valuation`,
          `/property/${id}/changes`,
        ]),
      ],
      (path) => fetch(server.url + path, { headers: { accept: 'text/html' } }),
      400,
    );
    const broken = [...pages]
      .filter(([, { status }]) => status >= 500)
      .map(([path, { status }]) => [path, status]);
    expect(broken).toEqual([]);
    const withText = [...pages].filter(([, { text }]) => text.includes('X-EVIL'));
    console.log(`${pages.size} pages, ${withText.length} with a hostile text`);
    expect(withText.length).toBeGreaterThan(20);
    const html = [...pages].filter(([, { type }]) => type.startsWith('text/html'));
    const pathsWith = (isWrong: (text: string) => boolean): string[] =>
      html.filter(([, { text }]) => isWrong(text)).map(([path]) => path);
    expect(pathsWith((text) => text.length > PAGE_BYTES)).toEqual([]);
    expect(pathsWith((text) => /<\/?x-evil/i.test(text))).toEqual([]);
    const markupOf = (text: string): string => text.replaceAll(/<script[^>]*>.*?<\/script>/gs, '');
    expect(pathsWith((text) => /"\s+A="|' ONCLICK='/.test(markupOf(text)))).toEqual([]);
    // A mark that turns the direction of reading would rewrite the sentence around the text.
    expect(pathsWith((text) => text.includes(BIDI))).toEqual([]);
  });

  it('are no formulas in CSV files', async () => {
    for (const table of ['property', 'place', 'property_event', 'hazard_feature']) {
      const answer = await fetch(`${server.url}/tables/${table}/csv`);
      if (answer.status === 404) continue;
      expect(answer.headers.get('content-disposition'), table).toContain('attachment');
      const rows = parse(await answer.text(), { relaxColumnCount: false }) as string[][];
      const formulas = rows.flat().filter((text) => FORMULA.test(text) && Number.isNaN(Number(text)));
      expect(formulas, table).toEqual([]);
    }
  });

  /** Names in a table that are published, and those that a file of it has. */
  const publishedNames = async (table: string, column: string): Promise<string[]> =>
    (
      await database.query<{ text: string }>(
        `SELECT DISTINCT ${column} AS text FROM serving.${table} WHERE ${column} IS NOT NULL`,
      )
    )
      .map(({ text }) => text)
      .sort();
  const distinct = (values: readonly unknown[]): string[] =>
    [...new Set(values.filter((value) => value != null).map(String))].sort();
  async function exportTo(format: ExportFormat, table: string): Promise<string> {
    const out = join(dir, `out-${format}-${table}`);
    const pool = openPool(database.url, 1);
    await withClient(pool, (client) =>
      exportTables(client, {
        all: SERVING_TABLES,
        publication: null,
        since: null,
        tables: [table],
        format,
        out,
        signKey: null,
        progress: silent,
      }),
    );
    await pool.end();
    return join(out, `${table}.${format}`);
  }
  const SUBJECTS = [
    ['place', 'name'],
    ['property', 'address'],
  ] as const;

  it.each(SUBJECTS)(
    'stay the same texts in Parquet, GeoJSON and CSV files of %s, and are no formulas',
    async (table, column) => {
      const names = await publishedNames(table, column);
      expect(names.filter((text) => text.includes('X-EVIL')).length).toBeGreaterThan(0);
      const rows = await parquetReadObjects({
        file: await asyncBufferFromFile(await exportTo('parquet', table)),
        compressors,
      });
      expect(distinct(rows.map((row) => row[column]))).toEqual(names);
      const { features } = JSON.parse(await readFile(await exportTo('geojson', table), 'utf8')) as {
        features: { properties: Record<string, unknown> }[];
      };
      const placed = new Set(distinct(features.map(({ properties }) => properties[column])));
      expect([...placed].filter((text) => !names.includes(text))).toEqual([]);
      expect([...placed].some((text) => text.includes('X-EVIL'))).toBe(true);
      const csv = parse(await readFile(await exportTo('csv', table), 'utf8'), {
        columns: true,
        relaxColumnCount: false,
      }) as Record<string, string>[];
      const texts = csv.map((row) => row[column]!).filter((text) => text !== '');
      expect(texts.filter((text) => FORMULA.test(text))).toEqual([]);
      expect(
        distinct(texts.map((text) => text.replace(/^'(?=[=@+\-\uff1d\uff0b\uff0d\uff20\t\r\n'])/, ''))),
      ).toEqual(names);
    },
  );

  it.each(SUBJECTS)('stay the same texts in vector tiles of %s', async (table, column) => {
    const names = new Set(await publishedNames(table, column));
    const { source, close } = await pmtilesFile(await exportTo('pmtiles', table));
    const archive = new PMTiles(source);
    const header = await archive.getHeader();
    const { rootDirectoryOffset, rootDirectoryLength } = header;
    const root = await archive.cache.getDirectory(source, rootDirectoryOffset, rootDirectoryLength, header);
    const texts: unknown[] = [];
    for (const { tileId: id, runLength } of root) {
      if (runLength === 0) continue;
      const [z, x, y] = tileIdToZxy(id);
      const tile = await archive.getZxy(z, x, y);
      for (const layer of Object.values(new VectorTile(new PbfReader(new Uint8Array(tile!.data))).layers))
        for (let i = 0; i < layer.length; i++) texts.push(layer.feature(i).properties[column]);
    }
    await close();
    const drawn = distinct(texts);
    expect(drawn.filter((text) => !names.has(text))).toEqual([]);
    expect(drawn.some((text) => text.includes('X-EVIL'))).toBe(true);
  });

  if (!CHROMIUM) console.warn('SKIPPED: hostile texts in a browser. No Chromium found.');
  it.skipIf(!CHROMIUM)(
    'run nothing in a browser, and are text in the printed report',
    async () => {
      const browser = await launch();
      const { page, problems } = await openWindow(browser, server.url, 1280);
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      const ids = await database.query<{ pid: string }>(
        `(SELECT gnaf_pid AS pid FROM serving.property WHERE building_name LIKE '%X-EVIL%' ORDER BY 1 LIMIT 4)
         UNION (SELECT gnaf_pid FROM serving.property ORDER BY length(building_name) DESC NULLS LAST LIMIT 1)`,
      );
      for (const path of [
        '/map',
        ...ids.flatMap(({ pid: id }) => [`/property/${id}`, `/property/${id}/report`]),
      ]) {
        await page.goto(server.url + path);
        expect(await page.locator('x-evil, [onclick], [a]').count(), path).toBe(0);
        if (!path.endsWith('/report')) continue;
        const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
        expect(pdf, path).toMatch(/^%PDF-/);
        expect(pdf, path).not.toMatch(/\/(JavaScript|JS|Launch|OpenAction|EmbeddedFile)\b/);
        expect((pdf.match(/\/Type\s*\/Page\b/g) ?? []).length, path).toBeLessThanOrEqual(2);
      }
      expect(dialogs).toEqual([]);
      expect(problems).toEqual([]);
      await browser.close();
    },
    HANG_MS,
  );
});
