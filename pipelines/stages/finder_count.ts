import { finderCountAsset } from '../../schema/assets/api.ts';
import { FINDER_AREA_COLUMN, FINDER_LEVELS } from '../../schema/serving/finder_levels.ts';
import { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import type { Row } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const finderCountStage = stage({
  name: 'finder_count',
  version: 1,
  doc: 'Properties of one cell that a search without criteria finds in each area.',
  subject: 'finder',
  inputs: {
    finder: input(propertyFinderTable, [
      'gnaf_pid',
      'sal',
      'sa3',
      'sa4',
      'lga',
      'gccsa',
      'state',
      'default_score',
    ]),
  },
  output: finderCountAsset,
  params: () => ({ FINDER_AREA_COLUMN, FINDER_LEVELS }),
  compute({ finder }, { cell, emit }) {
    const counts = new Map<string, Row<typeof finderCountAsset>>();
    const found = finder.filter(({ default_score }) => default_score !== null);
    for (const row of found) {
      for (const level of FINDER_LEVELS) {
        const area = row[FINDER_AREA_COLUMN[level]];
        if (area === null) continue;
        const known = counts.get(`${level}|${area}`) ?? { cell, level, area, found: 0 };
        counts.set(`${level}|${area}`, { ...known, found: known.found + 1 });
      }
    }
    for (const row of counts.values()) emit(row);
    return { account: { in: finder.length, out: finder.length, drops: {} } };
  },
});
