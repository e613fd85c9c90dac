import type { z } from 'zod';

/**
 * Reasons for missing data. `not_covered`: no source covers the place. `not_matched`: a source covers it, but the property has no match in
 * it. `none_found`: covered, and nothing was found. `parcel_not_found`: a cadastre covers the place, but the property has no parcel of its
 * own. `suppressed`: too few cases. `type_not_valued`: not known to be a dwelling of a valued kind. `outside_evidence`: no similar sale
 * nearby. `unknown_property`, `unknown_suburb`, `unknown_region`: no such property, suburb or region.
 */
export const NO_DATA = [
  'not_covered',
  'not_matched',
  'none_found',
  'parcel_not_found',
  'suppressed',
  'type_not_valued',
  'outside_evidence',
  'unknown_property',
  'unknown_suburb',
  'unknown_region',
] as const;
export type NoData = (typeof NO_DATA)[number];

/** Response fields other than `data`. */
export interface AnswerExtras {
  /** Outcome of each hazard layer: found, or the reason why not. */
  layers?: Readonly<Record<string, 'found' | NoData>> | undefined;
  /** Canonical name of the suburb or region. */
  region?: { level: string; code: string; name: string } | undefined;
}

/** Fields that an answer may have in addition to `data`. */
export const extrasShape = (extras: z.ZodType<AnswerExtras> | undefined): Record<string, z.ZodType> =>
  (extras as unknown as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {};

/** Outcome of a part of a bundle. Null: it has data. For a nested bundle: the outcomes of its parts. */
export type PartOutcome = NoData | null | BundleOutcomes;
/** Outcomes of the parts of a bundle, by path of the endpoint. */
export interface BundleOutcomes {
  readonly [path: string]: PartOutcome;
}

/**
 * Answer of an operation: its payload, or the typed reason for its absence; a bundle adds the outcomes of its parts. `none`: outside /v1,
 * why a payload counts as no data. `of`: subject without data; absent: the subject of the path.
 */
export type Answer<T> = ({ data: T; none?: NoData } | { no_data: NoData; of?: string }) & {
  extras?: AnswerExtras;
  parts?: BundleOutcomes;
};

/** The response envelope of the specification (section 2.1). `no_data` is the typed reason next to the slug. */
export type Envelope<T> =
  | ({ data: T } & AnswerExtras)
  | ({ data: null; available: false; reason: string; message: string; no_data: NoData } & AnswerExtras);

const MESSAGES: Record<NoData, (noun: string) => string> = {
  not_covered: (noun) => `No source of ${noun} covers this place.`,
  not_matched: (noun) => `The property has no match in the source of ${noun}.`,
  parcel_not_found: () => 'A cadastre covers this place, but the property has no parcel of its own.',
  none_found: (noun) => `The source of ${noun} covers this place, and there is none.`,
  suppressed: (noun) => `Too few cases to give ${noun}.`,
  type_not_valued: (noun) => `The property is not known to be a dwelling of a kind that has ${noun}.`,
  outside_evidence: (noun) => `Nothing like the property has sold near enough to give ${noun}.`,
  unknown_suburb: () => 'There is no suburb of this name.',
  unknown_region: () => 'There is no region of this code or name.',
  unknown_property: () => 'There is no property with this id.',
};

const SLUG_MAX = 100;

/** A name as part of a slug: letters and digits, anything between them becomes one `_`. */
const slugged = (name: string): string =>
  name
    .slice(0, SLUG_MAX)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '') || 'unknown';

/** Returns whether a source of some parts of a bundle covers the place, and found nothing. */
const isPartlyCovered = (outcomes: BundleOutcomes): boolean =>
  Object.values(outcomes).some((outcome) =>
    typeof outcome === 'object' && outcome !== null
      ? isPartlyCovered(outcome)
      : outcome === null || outcome === 'none_found',
  );

/** Builds the envelope of an answer without data. `parts`: outcomes of a bundle. */
export function noData({
  noun,
  of,
  no_data,
  parts = {},
}: {
  noun: string;
  of: string;
  no_data: NoData;
  parts?: BundleOutcomes | undefined;
}) {
  const name = noun.replaceAll('_', ' ');
  const isPartly = ['not_covered', 'not_matched'].includes(no_data) && isPartlyCovered(parts);
  return {
    data: null,
    available: false,
    reason: `no_${noun}_for_${slugged(of)}`,
    message: isPartly
      ? `The sources of ${name} that cover this place have none here; not every kind is covered.`
      : MESSAGES[no_data](name),
    no_data,
  } as const;
}
