import { addressHomeAsset } from '../../schema/assets/property.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { AREA_COLUMN, AREA_LEVELS, areaColumns, areasOf } from '../../schema/serving/area_level.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { regionRiskTable } from '../../schema/serving/region_risk.ts';
import { col } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { byPid, groupBy } from './by_key.ts';
import { sum } from './measures.ts';
import { rollup } from './rollup.ts';

export const {
  asset: regionRiskPartAsset,
  part: regionRiskPartStage,
  whole: serveRegionRiskStage,
} = rollup({
  params: { HAZARD_LAYERS, AREA_COLUMN, AREA_LEVELS },
  parts: {
    name: 'region_risk_part',
    doc: 'Properties per suburb or region, hazard layer and grid cell: the partial sums of the hazard shares.',
    by: { ...areaColumns, layer: col('text', 'Hazard layer.') },
    measures: [
      sum({
        properties_covered: col('int4', 'Properties at which a source covers the layer.'),
        properties_on: col('int4', 'Of these, properties that the hazard lies on.'),
      }),
    ],
  },
  part: {
    version: 1,
    doc: 'Properties per suburb or region and hazard layer of one cell.',
    subject: 'region',
    inputs: {
      region: input(addressHomeAsset, ['gnaf_pid', 'sal_name', 'sa2', 'sa3', 'lga', 'poa']),
      coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered', 'unassessed']),
      risk: input(propertyRiskTable, ['gnaf_pid', 'layer', 'on_property']),
    },
    dropped: 'not_located',
    gather({ region, coverage, risk }, add) {
      const covers = byPid(coverage);
      const isAssessed = (gnaf_pid: string, layer: string): boolean => {
        const { covered, unassessed } = covers.get(gnaf_pid)!;
        return covered.includes(layer) && !unassessed.includes(layer);
      };
      const on = new Set(risk.filter((row) => row.on_property).map((row) => `${row.gnaf_pid}|${row.layer}`));
      let dropped = 0;
      // Addresses that lie in the same areas are counted together.
      const places = groupBy(region, ({ sal_name, sa2, sa3, lga, poa }) =>
        JSON.stringify([sal_name, sa2, sa3, lga, poa]),
      );
      for (const here of places.values()) {
        const { sal_name: sal, sa2, sa3, lga, poa } = here[0]!;
        const areas = areasOf({ sal, sa2, sa3, lga, poa });
        if (areas.length === 0) dropped += here.length;
        for (const layer of HAZARD_LAYERS) {
          const assessed = here.filter(({ gnaf_pid }) => isAssessed(gnaf_pid, layer));
          if (assessed.length === 0) continue;
          const properties_on = assessed.filter(({ gnaf_pid }) => on.has(`${gnaf_pid}|${layer}`)).length;
          for (const area of areas)
            add({ ...area, layer, properties_covered: assessed.length, properties_on });
        }
      }
      return dropped;
    },
  },
  whole: {
    name: 'serve_region_risk',
    version: 1,
    output: regionRiskTable,
    rows: (total) => [{ ...total, share: total.properties_on / total.properties_covered }],
  },
});
