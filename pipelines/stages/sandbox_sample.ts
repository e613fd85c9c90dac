import { sandboxCandidateAsset } from '../../schema/assets/api.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { propertyEventTable } from '../../schema/serving/property_event.ts';
import { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import { propertyNeighbourTable } from '../../schema/serving/property_neighbour.ts';
import { propertyOverlayTable } from '../../schema/serving/property_overlay.ts';
import { propertyRiskTable } from '../../schema/serving/property_risk.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { sandboxSampleTable } from '../../schema/serving/sandbox_sample.ts';
import type { Row } from '../../schema/table.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

type Candidate = Row<typeof sandboxCandidateAsset>;

/** More data first, then the lowest id. */
const byData = (a: Candidate, b: Candidate): number =>
  b.subjects.length - a.subjects.length || (a.gnaf_pid < b.gnaf_pid ? -1 : 1);

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

export const sandboxCandidateStage = stage({
  name: 'sandbox_candidate',
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
  output: sandboxCandidateAsset,
  compute({ property, zone, overlay, risk, neighbour, event }, { cell, emit }) {
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
    const candidates = samples.map(({ gnaf_pid, state, sa2, sa3, sal }) => {
      const subjects = [...found.get(gnaf_pid)!].sort();
      return { cell, state, sa2, sa3, sal: sal!, gnaf_pid, subjects };
    });
    for (const of of groupBy(candidates, (row) => row.state).values()) emit(of.sort(byData)[0]!);
    return { account: { in: property.length, out: property.length, drops: {} } };
  },
});

export const serveSandboxSampleStage = stage({
  name: 'serve_sandbox_sample',
  version: 1,
  doc: 'Rows of serving.sandbox_sample.',
  subject: 'candidate',
  by: 'whole',
  inputs: {
    candidate: input(sandboxCandidateAsset, ['cell', 'state', 'sa2', 'sa3', 'sal', 'gnaf_pid', 'subjects'], {
      kind: 'all',
    }),
  },
  output: sandboxSampleTable,
  compute({ candidate }, { emit }) {
    for (const of of groupBy(candidate, (row) => row.state).values())
      emit({ ...of.sort(byData)[0]!, cell: NO_CELL });
    return { account: { in: candidate.length, out: candidate.length, drops: {} } };
  },
});
