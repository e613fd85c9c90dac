import type { Shape } from '../../formats/feature.ts';
import type { Tags } from './tag_rules.ts';

/** An object of OpenStreetMap whose tags may make it a place. */
export interface OsmObject {
  /** Number in the file, from 1. */
  readonly no: number;
  /** `node/1`, `way/2`, `relation/3`; null: the file has no identifiers. */
  readonly id: string | null;
  readonly tags: Tags;
  /** Of a relation: the ways that it is made of, as `way/2`. It comes before them. */
  readonly parts?: readonly string[];
  /** Its shape in GDA2020, computed at each call. Closed ways are areas. */
  shape(): Shape;
}
