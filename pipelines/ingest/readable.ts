import { EtlError, type Reject } from '../../schema/errors.ts';
import type { DatasetConfig, Part, Release, SourceAdapter } from '../../sources/adapter.ts';
import type { FeatureSource } from '../../sources/formats/feature.ts';
import { openFeatureFile } from '../../sources/formats/vector/feature_file.ts';
import { adapterNamed } from '../../sources/index.ts';
import { isCoverage } from '../../sources/release/coverage.ts';
import { checkUnchanged } from '../../store/loads/files.ts';
import { isTransient } from '../engine/retry.ts';
import { failureText, isDeliveryFailure, withDatasetName } from './delivery_failure.ts';
import type { DatasetPlan } from './plan_datasets.ts';
import { type RejectShare, shareName } from './reject_shares.ts';

/** Returns the layers among the parts of a dataset; none if its adapter reads tables. */
export const layersOf = (parts: readonly Part[]): FeatureSource[] =>
  parts.flatMap(({ source }) => {
    const { feature, layer } = source as { feature?: FeatureSource; layer?: FeatureSource };
    const reader = feature ?? layer;
    return isCoverage(source) || typeof reader?.crs !== 'string' ? [] : [reader];
  });

/** Lists rejects by code, the most frequent first: `214 outside_australia, 3 bad_ring`. */
const codesText = (codes: Iterable<readonly [string, number]>): string =>
  [...codes]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([code, n]) => `${n} ${code}`)
    .join(', ');

/** Describes a rejected row: `sales.csv line 2: event_date "x" is not a valid date`. */
export const exampleText = ({ file, at, message }: Pick<Reject, 'file' | 'at' | 'message'>): string =>
  `${file} ${at}: ${message}`;

/** Returns the error for a delivery in which every row is rejected. */
export const allRejected = (
  dataset: string,
  rejects: number,
  codes: Iterable<readonly [string, number]>,
  example: string,
): EtlError =>
  new EtlError(
    'all_rejected',
    `Dataset ${dataset}: every row was rejected (${codesText(codes)}), for example ${example}. The files are damaged or belong to another dataset. Check their header and CRS. If the rejections are right, set datasets.${dataset}.accept_all_rejected: true.`,
    { details: { dataset, rejects } },
  );

/** Returns the error for a delivery in which most rows of a file are rejected. */
export const mostRejected = (
  dataset: string,
  files: readonly RejectShare[],
  codes: Iterable<readonly [string, number]>,
  example: string,
): EtlError =>
  new EtlError(
    'most_rejected',
    `Dataset ${dataset}: most rows were rejected (${codesText(codes)}) of ${files.map((each) => `${shareName(each)}: ${each.rejects} of ${each.rows}`).join('; ')}, for example ${example}. These files are damaged or belong to another dataset. Check their header and CRS. If the rejections are right, set datasets.${dataset}.accept_all_rejected: true.`,
    { details: { dataset, files } },
  );

/**
 * Maximum zip size for checking a shape in advance, bytes. Larger ones, and geodatabases, which are converted as a whole, are checked when
 * read.
 */
const UNPACKED_MAX = 200e6;

/** Looks for one shape at a possible location; with a wrong CRS there is none. */
async function checkShapes(dataset: string, layers: readonly FeatureSource[]): Promise<void> {
  const codes = new Map<string, number>();
  let example = '';
  for (const layer of layers) {
    const file = await openFeatureFile(layer);
    try {
      for await (const batch of file.batches([]))
        for (let row = 0; row < batch.count; row++) {
          const shape = batch.problem(row) ?? batch.shape(row);
          if ('geometry' in shape) return;
          const reject = 'code' in shape ? shape : shape.kind === 'reject' ? shape.reject : null;
          if (reject === null) continue;
          codes.set(reject.code, (codes.get(reject.code) ?? 0) + 1);
          example ||= exampleText({ ...reject, file: layer.file, at: `feature ${batch.first + row}` });
        }
    } finally {
      await file.close();
    }
  }
  const rejects = [...codes.values()].reduce((sum, n) => sum + n, 0);
  if (rejects > 0) throw allRejected(dataset, rejects, codes, example);
}

/**
 * Checks the headers of a dataset and its first shape before loading: missing columns, an unknown mode, an impossible CRS. Stops at the
 * first good shape. @throws EtlError of the adapter, `all_rejected`
 */
export async function checkReadable(
  adapter: SourceAdapter,
  dataset: DatasetConfig,
  acceptsNothing: boolean,
): Promise<{ release: Release; parts: Part[] }> {
  const discovery = await adapter.discover(dataset);
  const layers = layersOf(discovery.parts);
  const bytes = new Map(dataset.files.map((file) => [file.path, file.bytes]));
  const isQuick = layers.every(
    ({ format, path, member }) =>
      format !== 'geodatabase' && (member === null || (bytes.get(path) ?? 0) <= UNPACKED_MAX),
  );
  if (!acceptsNothing && isQuick) await checkShapes(dataset.id, layers);
  return discovery;
}

/** Replaces plans whose headers are invalid: such a dataset keeps its last load, or fails if it has none. */
export async function readablePlans(plans: readonly DatasetPlan[]): Promise<DatasetPlan[]> {
  const checked: DatasetPlan[] = [];
  for (const plan of plans) {
    if (plan.action !== 'load') {
      checked.push(plan);
      continue;
    }
    try {
      await checkReadable(adapterNamed(plan.adapter), plan.config!, plan.acceptsNothing);
      checked.push(plan);
    } catch (error) {
      // Transient failures are retried when the dataset is read.
      if (isTransient(error)) {
        checked.push(plan);
        continue;
      }
      await checkUnchanged(plan.stamps);
      if (!plan.isLoaded || !isDeliveryFailure(error)) throw withDatasetName(error, plan.dataset);
      checked.push({ ...plan, action: 'kept', reason: failureText(error) });
    }
  }
  return checked;
}
