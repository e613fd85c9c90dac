import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { RunReport } from '../../../pipelines/report/report.ts';
import type { RefreshOptions } from '../../../pipelines/run/refresh.ts';
import type { TestDatabase } from '../../database.ts';

/** What the nights change and what they refresh. */
export interface Scene {
  database: TestDatabase;
  /** Folder of the deliveries. */
  dir: string;
}

/** How many partitions a stage computed or removed: a number, at least one, or at least one but fewer than it left alone. */
type Ran = number | 'some' | 'few';

/** One night: what is delivered before it, how it is refreshed, and what it must and must not do. */
export interface Night {
  name: string;
  /** Changes the deliveries or the configuration. May return what else must hold after the refresh. */
  edit?(scene: Scene): Promise<((report: RunReport) => Promise<void> | void) | void>;
  /** Settings of the night, which a rebuild takes too. */
  set?: readonly string[];
  /** Settings of the gates, which a rebuild does not take. Default: no gate refuses. */
  gates?: readonly string[];
  options?: Partial<RefreshOptions>;
  /** Gates that refuse, and that an operator then accepts. */
  accepts?: readonly string[];
  /** Default: published. */
  state?: 'published' | 'unchanged' | 'refused';
  ran?: Readonly<Record<string, Ran>>;
  /** Stages that computed some partition key by key. */
  byKey?: readonly string[];
  /** Stages that computed no partition key by key. */
  notByKey?: readonly string[];
  /** Rows inserted, updated and deleted, of every table that changed. */
  rows?: Readonly<Record<string, readonly [inserted: number, updated: number, deleted: number]>>;
  /** How many nights before it this one undoes: what is served is as before those. */
  undoes?: number;
  /** Compares the database with a rebuild after this night, whichever it is: the next one undoes what it changed. */
  rebuild?: true;
}

/** Path of the G-NAF zip within the folder of a sample country. */
export const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';
export const ZONES_VIC = 'planning/vic/PLAN_ZONE.dbf';
export const PARCELS_VIC = 'cadastre/vic/PARCEL_VIEW.dbf';

export const stageOf = (report: RunReport, name: string) =>
  report.stages.find(({ stage }) => stage === name)!;

/** Deliveries as they were before a night, which a later one brings back. */
export function keeper(...files: readonly string[]): {
  keep(scene: Scene): Promise<void>;
  bringBack(scene: Scene): Promise<void>;
} {
  const kept = new Map<string, Buffer>();
  return {
    keep: async ({ dir }) => {
      for (const file of files) kept.set(file, await readFile(join(dir, file)));
    },
    bringBack: async ({ dir }) => {
      for (const [file, bytes] of kept) await writeFile(join(dir, file), bytes);
    },
  };
}

/** Changes which datasets are configured. */
export async function editDatasets(
  { dir }: Scene,
  edit: (datasets: Record<string, unknown>) => void,
): Promise<void> {
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
  edit(config.datasets);
  await writeFile(path, stringify(config));
}

/** Takes a configured dataset out. */
export const takeOut = (scene: Scene, dataset: string): Promise<void> =>
  editDatasets(scene, (datasets) => {
    if (!(dataset in datasets)) throw new Error(`${dataset} is not configured`);
    delete datasets[dataset];
  });
