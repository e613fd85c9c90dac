import { describe, expect, it } from 'vitest';
import { evidenceDayRecord, evidenceSaleRecord } from '../../../schema/records/evidence.ts';
import { EVIDENCE_COLUMNS, evidenceAdapter } from '../../../sources/evidence/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import { claimed, readDataset } from '../read_dataset.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

type Values = Partial<Record<(typeof EVIDENCE_COLUMNS)[number], string>>;

const SALE: Values = {
  kind: 'sale',
  event_id: 'listings|agency|1|sold|2026-05-02',
  date: '2026-05-02',
  price: '812000',
  cell: '4141062',
  gnaf_pid: 'GAVIC1',
  state: 'VIC',
  area: 'Carlton (Vic.)',
  street: 'LYGON STREET',
  dwelling_type: 'house',
  lon: '144.96657',
  lat: '-37.80033',
  bedrooms: '3',
  overlays: '0',
};
const line = (values: Values): string => EVIDENCE_COLUMNS.map((name) => values[name] ?? '').join(',');
const textOf = (...rows: Values[]): string =>
  `${[EVIDENCE_COLUMNS.join(','), ...rows.map(line)].join('\r\n')}\r\n`;

async function folderWith(files: Readonly<Record<string, string>>): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  return folder;
}

adapterConformance('evidence', async () => {
  const folder = await folderWith({
    'evidence_2026-06-01.csv': textOf(
      SALE,
      { ...SALE, kind: 'rent', price: '610', event_id: 'b' },
      { ...SALE, kind: '' },
    ),
  });
  return { adapter: evidenceAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('evidence', () => {
  it('is read as it was written, and what cannot be of it is rejected', async () => {
    const folder = await folderWith({
      'evidence_2026-06-01.csv': textOf(
        SALE,
        { ...SALE, event_id: '2', date: '2026-06-01' },
        { ...SALE, event_id: '3', date: '02/05/2026' },
        { ...SALE, event_id: '4', price: '-1' },
        { ...SALE, event_id: '5', cell: '99999999' },
        { ...SALE, event_id: '6', lat: 'x' },
        { ...SALE, event_id: '7', overlays: '' },
        { ...SALE, event_id: '8', state: 'XX' },
        { ...SALE, event_id: '9', kind: 'gift' },
        { ...SALE, event_id: '' },
        { ...SALE, event_id: '11', date: '2026-02-30' },
        { ...SALE, event_id: '12', lon: '1e300' },
        { ...SALE, event_id: '13', lat: '' },
      ),
    });
    try {
      const result = await readDataset(evidenceAdapter, await folder.dataset());
      expect(result.rowsOf(evidenceSaleRecord)).toMatchObject([
        {
          kind: 'sale',
          cell: 4_141_062,
          price: 812_000,
          lat: -37.80033,
          bedrooms: 3,
          bathrooms: null,
          overlays: 0,
        },
      ]);
      expect(result.rowsOf(evidenceDayRecord)).toMatchObject([{ as_of: '2026-06-01' }]);
      expect(claimed(result, evidenceSaleRecord)).toBe(1);
      expect(result.rejects.map(({ code, at }) => `${code} ${at}`)).toEqual([
        'future_date line 3',
        'bad_date line 4',
        'bad_price line 5',
        'bad_number line 6',
        'bad_number line 7',
        'missing_value line 8',
        'bad_value line 9',
        'bad_value line 10',
        'missing_key line 11',
        'bad_date line 12',
        'outside_australia line 13',
        'bad_coordinate line 14',
      ]);
    } finally {
      await folder.remove();
    }
  });

  it('is that of the newest file, and the older ones are named', async () => {
    const folder = await folderWith({
      'evidence_2026-05-01.csv': textOf({ ...SALE, date: '2026-04-02' }),
      'evidence_2026-06-01.csv': textOf(SALE),
    });
    try {
      const { release, parts } = await evidenceAdapter.discover(await folder.dataset());
      expect(release.id).toBe('2026-06-01');
      expect(release.notes).toEqual(['Older evidence is not read: evidence_2026-05-01.csv.']);
      expect(parts).toHaveLength(1);
    } finally {
      await folder.remove();
    }
  });

  it('is refused without a sale', async () => {
    const folder = await folderWith({ 'evidence_2026-06-01.csv': textOf() });
    try {
      await expect(readDataset(evidenceAdapter, await folder.dataset())).rejects.toMatchObject({
        code: 'no_evidence',
      });
    } finally {
      await folder.remove();
    }
  });

  it('needs a file whose name says its day, and all of its columns', async () => {
    const named = await folderWith({ 'evidence.csv': textOf(SALE) });
    const short = await folderWith({ 'evidence_2026-06-01.csv': 'kind,event_id\r\nsale,1\r\n' });
    try {
      await expect(evidenceAdapter.discover(await named.dataset())).rejects.toMatchObject({
        code: 'missing_file',
      });
      await expect(evidenceAdapter.discover(await short.dataset())).rejects.toMatchObject({
        code: 'missing_column',
      });
    } finally {
      await named.remove();
      await short.remove();
    }
  });
});
