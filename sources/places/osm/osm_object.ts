import type { Shape } from '../../formats/feature.ts';
import type { Tags } from './tag_rules.ts';

/** An OpenStreetMap object whose tags may make it a place. */
export interface OsmObject {
  /** Number in the file, from 1. */
  readonly no: number;
  /** `node/1`, `way/2`, `relation/3`; null: the file has no identifiers. */
  readonly id: string | null;
  readonly tags: Tags;
  /** Ways of the outline of a relation, as `way/2`; the relation comes before them. Absent: not a relation. */
  readonly parts?: readonly string[];
  /** Ways of its holes. One with tags of its own is a place of its own. */
  readonly holes?: readonly string[];
  /** Returns its shape in GDA2020, computed at each call. Closed ways are areas. */
  shape(): Shape;
}
