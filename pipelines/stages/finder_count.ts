import { FINDER_AREA_COLUMN, FINDER_LEVELS } from '../../schema/serving/finder_levels.ts';
import { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import { col } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { sum } from './measures.ts';
import { parts } from './parts.ts';

export const { asset: finderCountAsset, part: finderCountStage } = parts(
  {
    name: 'finder_count',
    doc: 'Properties of one grid cell that a search without criteria finds in each area: the partial sums of search_area.by_default.',
    by: {
      level: col('text', 'SAL SA3 SA4 LGA GCCSA STE.'),
      area: col('text', 'Name of a SAL; code of another region; abbreviation of a state.'),
    },
    measures: [sum({ found: col('int4', 'Number of properties.') })],
  },
  {
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
    gather({ finder }, add) {
      for (const row of finder) {
        if (row.default_score === null) continue;
        for (const level of FINDER_LEVELS) {
          const area = row[FINDER_AREA_COLUMN[level]];
          if (area !== null) add({ level, area, found: 1 });
        }
      }
      return 0;
    },
  },
  { FINDER_AREA_COLUMN, FINDER_LEVELS },
);
