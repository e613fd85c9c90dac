import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import { propertyNeighbourTable } from '../../schema/serving/property_neighbour.ts';
import { propertyOverlayTable } from '../../schema/serving/property_overlay.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { sandboxSampleTable } from '../../schema/serving/sandbox_sample.ts';
import { col, nullable } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { best } from './measures.ts';
import { rollup } from './rollup.ts';

/** Columns of the finder that say that there is data on something. */
const FINDER_SUBJECTS = [
  'beds',
  'baths',
  'cars',
  'dwelling_type',
  'land_area_sqm',
  'price',
  'rent_aud_pw',
  'school_m',
  'supermarket_m',
  'park_m',
  'railway_m',
] as const;

export const {
  asset: sandboxCandidateAsset,
  part: sandboxCandidateStage,
  whole: serveSandboxSampleStage,
} = rollup({
  parts: {
    name: 'sandbox_candidate',
    doc: 'The property with data on most endpoints of each state in one grid cell.',
    by: { state: col('text', 'State abbreviation.') },
    measures: [
      best(
        {
          sa2: nullable('text', 'SA2 code; null: not located.'),
          sa3: nullable('text', 'SA3 code; null: not located.'),
          sal: col('text', 'Suburb.'),
          gnaf_pid: col('text', 'Property.'),
          subjects: col('text[]', 'What there is data on, sorted.'),
        },
        (a, b) => b.subjects.length - a.subjects.length || (a.gnaf_pid < b.gnaf_pid ? -1 : 1),
      ),
    ],
  },
  part: {
    version: 1,
    doc: 'The best sample property of each state in one cell.',
    subject: 'property',
    inputs: {
      property: input(propertyFinderTable, [
        'gnaf_pid',
        'state',
        'sa2',
        'sa3',
        'sal',
        'lon',
        ...FINDER_SUBJECTS,
      ]),
      zone: input(propertyZoningTable, ['gnaf_pid']),
      overlay: input(propertyOverlayTable, ['gnaf_pid']),
      risk: input(propertyRiskTable, ['gnaf_pid', 'layer']),
      neighbour: input(propertyNeighbourTable, ['gnaf_pid'], { kind: 'own' }, { is_corner: false }),
      event: input(propertyEventTable, ['gnaf_pid', 'type']),
    },
    gather({ property, zone, overlay, risk, neighbour, event }, add) {
      const samples = property.filter((row) => row.sal !== null && row.lon !== null);
      const found = new Map<string, Set<string>>();
      for (const { gnaf_pid } of samples) found.set(gnaf_pid, new Set());
      const note = (pid: string, subject: string): unknown => found.get(pid)?.add(subject);
      for (const row of samples)
        for (const name of FINDER_SUBJECTS) if (row[name] !== null) note(row.gnaf_pid, name);
      for (const { gnaf_pid } of zone) note(gnaf_pid, 'zoning');
      for (const { gnaf_pid } of overlay) note(gnaf_pid, 'overlays');
      for (const { gnaf_pid, layer } of risk) note(gnaf_pid, `risk_${layer}`);
      for (const { gnaf_pid } of neighbour) note(gnaf_pid, 'neighbours');
      for (const { gnaf_pid, type } of event)
        note(gnaf_pid, type === 'For Rent' ? 'rent_history' : 'sale_history');
      for (const { gnaf_pid, state, sa2, sa3, sal } of samples) {
        const subjects = [...found.get(gnaf_pid)!].sort();
        add({ state, sa2, sa3, sal: sal!, gnaf_pid, subjects });
      }
    },
  },
  whole: {
    name: 'serve_sandbox_sample',
    version: 1,
    output: sandboxSampleTable,
    rows: (total) => [total],
  },
});
