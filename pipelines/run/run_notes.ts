import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { coverageNotes } from '../checks/coverage_notes.ts';
import { datumNotes, distortionNotes } from '../checks/datum_notes.ts';
import { legalIdNotes } from '../checks/legal_id_notes.ts';
import { meshBlockNotes, unplacedNotes } from '../checks/mesh_block_notes.ts';
import { modelNotes } from '../checks/model_notes.ts';
import { offsetNotes } from '../checks/offset_notes.ts';
import { postgisNotes } from '../checks/postgis_notes.ts';
import { gnafNotes } from '../recognise/roles.ts';
import type { RunReport } from '../report/report.ts';
import { givenEvidenceNotes } from './given_evidence.ts';

/** A run whose datasets are loaded and whose stages are computed. */
interface ComputedRun {
  client: pg.ClientBase;
  config: Config;
  report: RunReport;
}

/** A check whose findings are notes of the run. */
interface NoteCheck {
  when: (run: ComputedRun) => boolean;
  notesOf: (run: ComputedRun) => readonly string[] | Promise<readonly string[]>;
}

/** Adapters for parcels and for layers whose edges follow them. */
const OUTLINES: ReadonlySet<string> = new Set(['cadastre', 'zoning', 'overlays']);

const always = (): boolean => true;
const hasLoaded = ({ report }: ComputedRun): boolean =>
  report.datasets.some(({ action }) => action === 'loaded');
const hasLoadedOutlines = ({ report, config }: ComputedRun): boolean =>
  report.datasets.some(
    ({ action, dataset }) => action === 'loaded' && OUTLINES.has(config.datasets[dataset]?.adapter ?? ''),
  );
const hasComputedHomes = ({ report }: ComputedRun): boolean =>
  report.stages.some(({ stage, partitions_run }) => stage === 'address_home' && partitions_run > 0);

/** All checks, in the order of the report. */
const CHECKS: readonly NoteCheck[] = [
  { when: always, notesOf: ({ config }) => gnafNotes(config.datasets) },
  { when: always, notesOf: ({ client }) => modelNotes(client) },
  { when: always, notesOf: ({ client }) => givenEvidenceNotes(client) },
  { when: hasLoaded, notesOf: ({ client }) => coverageNotes(client) },
  { when: hasLoaded, notesOf: ({ client }) => datumNotes(client) },
  { when: hasLoaded, notesOf: ({ client, config }) => distortionNotes(client, config) },
  { when: hasLoaded, notesOf: ({ client, report }) => postgisNotes(client, report.run_id) },
  { when: hasLoadedOutlines, notesOf: ({ client }) => offsetNotes(client) },
  { when: hasComputedHomes, notesOf: ({ client }) => meshBlockNotes(client) },
  { when: hasComputedHomes, notesOf: ({ client }) => unplacedNotes(client) },
  { when: hasComputedHomes, notesOf: ({ client, report }) => legalIdNotes(client, report.run_id) },
];

/** Returns the notes on a run before its publication. */
export async function runNotes(run: ComputedRun): Promise<string[]> {
  const notes: string[] = [];
  for (const { when, notesOf } of CHECKS) if (when(run)) notes.push(...(await notesOf(run)));
  return notes;
}
