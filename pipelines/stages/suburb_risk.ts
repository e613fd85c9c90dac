import { addressRegionAsset, suburbRiskPartAsset } from '../../schema/assets.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { suburbRiskTable } from '../../schema/serving/suburb_risk.ts';
import type { Row } from '../../schema/table.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid, groupBy } from './by_key.ts';

type Part = { -readonly [K in keyof Row<typeof suburbRiskPartAsset>]: Row<typeof suburbRiskPartAsset>[K] };

export const suburbRiskPartStage = stage({
  name: 'suburb_risk_part',
  version: 1,
  doc: 'Properties per suburb and hazard layer of one cell.',
  subject: 'region',
  inputs: {
    region: input(addressRegionAsset, ['gnaf_pid', 'sal_name']),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered', 'unassessed']),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer', 'on_property']),
  },
  output: suburbRiskPartAsset,
  compute({ region, coverage, risk }, { cell }) {
    const covers = byPid(coverage);
    const risks = groupBy(risk, (row) => row.gnaf_pid);
    const parts = new Map<string, Part>();
    let out = 0;
    for (const { gnaf_pid, sal_name } of region) {
      if (sal_name === null) continue;
      out++;
      const { covered, unassessed } = covers.get(gnaf_pid)!;
      const on = new Set(
        (risks.get(gnaf_pid) ?? []).filter((row) => row.on_property).map((row) => row.layer),
      );
      for (const layer of HAZARD_LAYERS) {
        if (!covered.includes(layer) || unassessed.includes(layer)) continue;
        const key = `${sal_name}|${layer}`;
        const part = parts.get(key) ?? {
          cell,
          sal: sal_name,
          layer,
          properties_covered: 0,
          properties_on: 0,
        };
        part.properties_covered++;
        if (on.has(layer)) part.properties_on++;
        parts.set(key, part);
      }
    }
    const drops: Record<string, number> = out < region.length ? { no_suburb: region.length - out } : {};
    return { rows: [...parts.values()], account: { in: region.length, out, drops } };
  },
});

export const serveSuburbRiskStage = stage({
  name: 'serve_suburb_risk',
  version: 1,
  doc: 'Rows of serving.suburb_risk.',
  subject: 'part',
  by: 'whole',
  inputs: {
    part: input(suburbRiskPartAsset, ['cell', 'sal', 'layer', 'properties_covered', 'properties_on'], {
      kind: 'all',
    }),
  },
  output: suburbRiskTable,
  compute({ part }) {
    const rows = [...groupBy(part, (row) => `${row.sal}|${row.layer}`).values()].map((parts) => {
      const { sal, layer } = parts[0]!;
      const properties_covered = parts.reduce((sum, row) => sum + row.properties_covered, 0);
      const properties_on = parts.reduce((sum, row) => sum + row.properties_on, 0);
      const share = properties_on / properties_covered;
      return { sal, layer, cell: NO_CELL, properties_covered, properties_on, share };
    });
    return { rows, account: { in: part.length, out: part.length, drops: {} } };
  },
});
