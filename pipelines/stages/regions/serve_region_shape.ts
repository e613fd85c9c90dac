import { regionRecord } from '../../../schema/records/region.ts';
import { regionShapeTable } from '../../../schema/serving/region_shape.ts';
import { STATE_OF_DIGIT } from '../../../schema/states.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

export const serveRegionShapeStage = stage({
  name: 'serve_region_shape',
  version: 1,
  doc: 'Rows of serving.region_shape: the simplified boundary of each region, from the newest edition and year that has it.',
  subject: 'region',
  inputs: {
    region: input(
      regionRecord,
      ['edition', 'year', 'level', 'code', 'name', 'ste', 'area_sqkm', 'outline'],
      { kind: 'all' },
      { outline: { not: null } },
    ),
  },
  output: regionShapeTable,
  compute({ region }, { emit }) {
    // Rows are sorted by edition, level and year, so the newest shape of a region is the last.
    const newest = new Map(region.map((row) => [`${row.level}|${row.code}`, row]));
    for (const { level, code, name, ste, area_sqkm, outline } of newest.values()) {
      const state = ste === null ? null : (STATE_OF_DIGIT[ste] ?? null);
      emit({ level, code, name, state, area_sqkm, geom: outline! });
    }
    const older = region.length - newest.size;
    const drops: Record<string, number> = older > 0 ? { older_edition: older } : {};
    return { account: { in: region.length, out: newest.size, drops } };
  },
});
