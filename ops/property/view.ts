import type { z } from 'zod';
import type { Envelope, NoData } from '../../contract/answers/answer.ts';
import { addressTitleCase } from '../../contract/answers/title_case.ts';
import type { ComparablePoint, HazardLine } from '../../contract/map/around_property.ts';
import type { PropertyNeighbours } from '../../contract/property/property_neighbours.ts';
import type { AllRisks } from '../../contract/property/risks.ts';
import type { schoolsRankingPayload } from '../../contract/property/schools.ts';
import type { transportNearbyPayload } from '../../contract/property/transport_nearby.ts';
import type { suburbMarketPayload } from '../../contract/suburb/suburb_market.ts';
import type { Explanation } from '../../pipelines/explain/explain.ts';
import type { LateSource } from '../../pipelines/views/late_sources.ts';
import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { UntypedRow } from '../../schema/table.ts';
import { html, type Markup } from '../html.ts';

/** Data of a property's page. */
export interface PropertyView {
  explanation: Explanation;
  publication: number | null;
  /** True: the held candidate, and `publication` is the number that it would get. */
  isCandidate: boolean;
  /** True: a candidate is held, which the property can be read from too. */
  hasCandidate: boolean;
  /** Late datasets of its state. */
  lateSources: readonly LateSource[];
  comparables: readonly ComparablePoint[];
  hazards: readonly HazardLine[];
  /** Reason of each hazard layer, zone and overlay without a finding. */
  notFound: Readonly<Record<HazardLayer | 'zoning' | 'overlay', NoData>>;
  /** Its council, with the hazard layers that a source covers there. Null: in none, or not known. */
  council: { name: string; assessed: ReadonlySet<string> } | null;
  /** Findings of each hazard layer, in the words of the contract. */
  risks: Envelope<AllRisks>;
  around: PropertyNeighbours | null;
  schools: Envelope<z.infer<typeof schoolsRankingPayload>>;
  transport: Envelope<z.infer<typeof transportNearbyPayload>>;
  /** Market of its suburb. Null: it is in no suburb. */
  market: Envelope<z.infer<typeof suburbMarketPayload>> | null;
}

export const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));
export const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
export const words = (value: unknown): string => text(value).replaceAll('_', ' ');
export const path = (pid: string, subpath: string): string =>
  `/property/${encodeURIComponent(pid)}/${subpath}`;
export const propertyLink = (pid: string, says: string): Markup =>
  html`<a href="/property/${encodeURIComponent(pid)}">${says}</a>`;

interface PropertyName {
  gnaf_pid: string;
  address: string;
}

/** Position of a property. Null: it has no coordinates. */
export function positionOf({ lon, lat }: UntypedRow): [lon: number, lat: number] | null {
  const [x, y] = [number(lon), number(lat)];
  return x === null || y === null ? null : [x, y];
}

/** A property, street or suburb that a text may mean, with its page. */
export interface SearchSuggestion {
  kind: 'property' | 'street' | 'suburb';
  text: string;
  note: string;
  href: string;
}

export const propertyPlace = ({ gnaf_pid, address }: PropertyName): SearchSuggestion => ({
  kind: 'property',
  text: addressTitleCase(address),
  note: gnaf_pid,
  href: `/property/${encodeURIComponent(gnaf_pid)}`,
});
