import { describe, expect, it } from 'vitest';
import { coverageAreaRecord } from '../../schema/records/coverage.ts';
import { schoolRecord } from '../../schema/records/school.ts';
import type { Row } from '../../schema/table.ts';
import { schoolsAdapter } from '../../sources/schools/adapter.ts';
import { type ReleaseFolder, releaseFolder } from './release_folder.ts';

const LIST = 'School_No,School_Name,State,X,Y\n1,Some School,VIC,145,-37.8\n';
const field_map = { school_id: 'School_No', name: 'School_Name', state: 'State', lon: 'X', lat: 'Y' };

/** What a school list states that it covers, as `state area`; with the notes of the release. */
async function coverageOf(folder: ReleaseFolder, options: Record<string, unknown>) {
  await folder.write('schools.csv', LIST);
  const dataset = await folder.dataset({ options: { field_map, ...options } });
  const { release, parts } = await schoolsAdapter.discover(dataset);
  const areas: string[] = [];
  let schools = 0;
  for (const part of parts)
    for await (const { records = [] } of schoolsAdapter.readPart(release, part, {}))
      for (const { table, rows } of records) {
        if (table === schoolRecord) schools += rows.length;
        else if (table === coverageAreaRecord)
          for (const row of rows as Row<typeof coverageAreaRecord>[])
            areas.push(`${row.theme} ${row.state} ${row.area}`);
      }
  return { areas, schools, notes: release.notes };
}

describe('the coverage of point features', () => {
  it.each<[what: string, options: Record<string, unknown>, areas: string[]]>([
    ['its state', { state: 'VIC', coverage: 'state' }, ['school VIC *']],
    [
      'some states, each once',
      { coverage: { states: ['TAS', 'VIC', 'TAS'] } },
      ['school TAS *', 'school VIC *'],
    ],
    ['councils', { coverage: { lga: ['21110'] } }, ['school VIC 21110']],
    ['nothing', { state: 'VIC', coverage: 'none' }, []],
  ])('is %s by the option, and the features are kept', async (_, options, areas) => {
    const folder = await releaseFolder();
    try {
      const found = await coverageOf(folder, options);
      expect(found).toEqual({ areas, schools: 1, notes: [] });
    } finally {
      await folder.remove();
    }
  });

  it('is all states for AU, empty with a note by default, and an error without a state', async () => {
    const folder = await releaseFolder();
    try {
      expect((await coverageOf(folder, { coverage: { states: ['AU'] } })).areas).toHaveLength(8);
      const silent = await coverageOf(folder, { state: 'VIC' });
      expect(silent.areas).toEqual([]);
      expect(silent.notes).toEqual([expect.stringMatching(/states no coverage of school/)]);
      await expect(coverageOf(folder, { coverage: 'state' })).rejects.toMatchObject({
        code: 'bad_option',
        message: expect.stringContaining('{states: [VIC]}'),
      });
    } finally {
      await folder.remove();
    }
  });
});
