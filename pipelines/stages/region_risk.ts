import { addressHomeAsset } from '../../schema/assets/property.ts';
import { regionRiskPartAsset } from '../../schema/assets/region.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { AREA_COLUMN, AREA_LEVELS, areasOf } from '../../schema/serving/area_level.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { regionRiskTable } from '../../schema/serving/region_risk.ts';
import type { Row } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

type Part = { -readonly [K in keyof Row<typeof regionRiskPartAsset>]: Row<typeof regionRiskPartAsset>[K] };

export const regionRiskPartStage = stage({
  name: 'region_risk_part',
  version: 1,
  doc: 'Properties per suburb or region and hazard layer of one cell.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['gnaf_pid', 'sal_name', 'sa2', 'sa3', 'lga', 'poa']),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered', 'unassessed']),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer', 'on_property']),
  },
  output: regionRiskPartAsset,
  params: () => ({ HAZARD_LAYERS, AREA_COLUMN, AREA_LEVELS }),
  compute({ region, coverage, risk }, { cell, emit }) {
    const covers = byPid(coverage);
    const risks = groupBy(risk, (row) => row.gnaf_pid);
    const parts = new Map<string, Part>();
    let out = 0;
    for (const { gnaf_pid, sal_name, ...codes } of region) {
      const areas = areasOf({ sal: sal_name, ...codes });
      if (areas.length === 0) continue;
      out++;
      const { covered, unassessed } = covers.get(gnaf_pid)!;
      const on = new Set(
        (risks.get(gnaf_pid) ?? []).filter((row) => row.on_property).map((row) => row.layer),
      );
      for (const layer of HAZARD_LAYERS) {
        if (!covered.includes(layer) || unassessed.includes(layer)) continue;
        for (const { level, area } of areas) {
          const key = JSON.stringify([level, area, layer]);
          let part = parts.get(key);
          if (!part) {
            part = { cell, level, area, layer, properties_covered: 0, properties_on: 0 };
            parts.set(key, part);
          }
          part.properties_covered++;
          if (on.has(layer)) part.properties_on++;
        }
      }
    }
    const drops: Record<string, number> = out < region.length ? { not_located: region.length - out } : {};
    for (const row of parts.values()) emit(row);
    return { account: { in: region.length, out, drops } };
  },
});

export const serveRegionRiskStage = stage({
  name: 'serve_region_risk',
  version: 1,
  doc: 'Rows of serving.region_risk.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(
      regionRiskPartAsset,
      ['cell', 'level', 'area', 'layer', 'properties_covered', 'properties_on'],
      { kind: 'all' },
    ),
  },
  output: regionRiskTable,
  params: () => ({ HAZARD_LAYERS, AREA_COLUMN, AREA_LEVELS }),
  compute({ part }, { emit }) {
    const groups = groupBy(part, ({ level, area, layer }) => JSON.stringify([level, area, layer]));
    for (const parts of groups.values()) {
      const { level, area, layer } = parts[0]!;
      const properties_covered = parts.reduce((sum, row) => sum + row.properties_covered, 0);
      const properties_on = parts.reduce((sum, row) => sum + row.properties_on, 0);
      const share = properties_on / properties_covered;
      emit({ level, area, layer, cell: NO_CELL, properties_covered, properties_on, share });
    }
    return { account: { in: part.length, out: part.length, drops: {} } };
  },
});
