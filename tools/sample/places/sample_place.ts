import type { Ring } from '../geography/shape.ts';

/** What the generator writes of a place: an object with tags, at a point or with outlines in a town's plane. */
export interface SamplePlace {
  /** Number, unique in the country. */
  readonly serial: number;
  readonly category: 'supermarket' | 'green_space' | 'restaurant' | 'beach' | 'railway_station';
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly at:
    | { readonly point: readonly [number, number] }
    | { readonly shell: Ring; readonly holes: readonly Ring[] };
  /** Name of the drop where it must be left out; null: it counts. */
  readonly drop: string | null;
}

/** Writes the places of one source; coordinates are GDA2020 degrees, rounded as the source has them. */
export interface PlaceSink {
  /** Returns the place_id that the place will have. */
  write(place: SamplePlace, points: readonly Float64Array[]): string;
  /** Name of the file in accounts, below the folder of the sample. */
  readonly file: string;
  close(): Promise<void> | void;
}
