import { describe, expect, it } from 'vitest';
import { OPEN_LICENCES } from '../../../schema/licence.ts';
import { schoolMeasureRecord } from '../../../schema/records/school.ts';
import { schoolMeasuresAdapter } from '../../../sources/school_measures/adapter.ts';
import { adapterConformance } from '../conformance.ts';
import { claimed, readDataset } from '../read_dataset.ts';
import { type ReleaseFolder, releaseFolder } from '../release_folder.ts';

const TEXT = `acara_id,year,attendance_rate,naplan_mean,icsea
40001,2025,93.5,512.25,1004
40001,2024,,498,
40002,2025,,,
40003.0,2025,0,,
40001,2025,90,,
40004,2025,100.5,,
40004,2025,NaN,,
x,2025,90,,
40005,1066,90,,
,2025,90,,
40006,2025
`;

async function folderWith(text: string): Promise<ReleaseFolder> {
  const folder = await releaseFolder();
  await folder.write('measures.csv', text);
  return folder;
}

adapterConformance('school_measures', async () => {
  const folder = await folderWith(TEXT);
  return { adapter: schoolMeasuresAdapter, dataset: await folder.dataset(), remove: folder.remove };
});

describe('school measures', () => {
  it('are read by column name; bad rows are rejected, empty ones dropped', async () => {
    const folder = await folderWith(TEXT);
    try {
      const result = await readDataset(schoolMeasuresAdapter, await folder.dataset());
      expect(result.rowsOf(schoolMeasureRecord)).toMatchObject([
        { school_id: 40_001, year: 2025, attendance_rate: 93.5, naplan_mean: 512.25, icsea: 1004 },
        { school_id: 40_001, year: 2024, attendance_rate: null, naplan_mean: 498, icsea: null },
        { school_id: 40_003, year: 2025, attendance_rate: 0 },
      ]);
      expect(claimed(result, schoolMeasureRecord)).toBe(3);
      expect(result.drops).toEqual({ no_measure: 1 });
      expect(result.rejects.map(({ code, at }) => `${code} ${at}`)).toEqual([
        'duplicate_key line 6',
        'bad_number line 7',
        'bad_number line 8',
        'bad_number line 9',
        'bad_number line 10',
        'missing_key line 11',
        'short_row line 12',
      ]);
    } finally {
      await folder.remove();
    }
  });

  it('need their columns, and an accepted licence', async () => {
    const folder = await folderWith('school,year\n1,2025\n');
    try {
      await expect(schoolMeasuresAdapter.discover(await folder.dataset())).rejects.toMatchObject({
        code: 'missing_column',
        message: expect.stringContaining('acara_id'),
      });
      expect(OPEN_LICENCES).not.toContain(schoolMeasuresAdapter.licence);
    } finally {
      await folder.remove();
    }
  });
});
