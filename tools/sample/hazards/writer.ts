import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GeojsonWriter } from '../formats/geojson_writer.ts';
import type { Frame } from '../geography/frame.ts';
import { RURAL_HALF_M, type TileSize } from '../geography/layout.ts';
import type { Block } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import { rectangle, simple, toDegrees } from '../geography/shape.ts';
import type { SuburbLand } from '../geography/suburb.ts';
import type { Truth } from '../truth.ts';
import type { SampleDataset } from './layer.ts';
import { LayerFile } from './layer_file.ts';
import { TAS_OUTLINE } from './layers/other_states.ts';
import { ruralFeatures, suburbFeatures } from './patterns.ts';
import { layersOf, PLANNING_DATASETS } from './registry.ts';

/** What is true of every parcel of a block: theme, layer and value, see truth/planning_parcels.csv. */
export type BlockTruth = readonly (readonly [theme: string, layer: string, value: string])[];

/** Streams the hazards and overlays of one state into all the files that it publishes. */
export class PlanningWriter {
  private readonly files: readonly LayerFile[];
  private readonly datasets: readonly SampleDataset[];
  private readonly folder: string;
  private readonly place: StatePlace;
  private readonly truth: Truth;

  constructor(folder: string, place: StatePlace, truth: Truth) {
    this.folder = folder;
    this.place = place;
    this.truth = truth;
    this.files = layersOf(place.code).map((layer) => new LayerFile(folder, layer));
    this.datasets = PLANNING_DATASETS.filter(({ path }) =>
      this.files.some(({ layer }) => layer.path === path[0]),
    );
  }

  /** Writes what is in a suburb; returns what is true of the parcels of its blocks. */
  suburb(frame: Frame, land: SuburbLand, lga: string): ReadonlyMap<Block, BlockTruth> {
    const truths = new Map<Block, BlockTruth>();
    for (const feature of suburbFeatures(land)) {
      const facts: (readonly [string, string, string])[] = [];
      for (const file of this.files) {
        const written = file.write(frame, feature, lga);
        if (written === null || feature.block === null) continue;
        for (const { path, truth } of this.datasets) {
          const of = path[0] === file.layer.path ? truth?.[feature.pattern] : undefined;
          if (of !== undefined) facts.push(of(written));
        }
      }
      if (feature.block !== null && facts.length > 0) truths.set(feature.block, facts);
    }
    return truths;
  }

  /** Lists a parcel under the features of its block. */
  parcel(facts: BlockTruth | undefined, parcel_id: string): void {
    for (const [theme, layer, value] of facts ?? [])
      this.truth.files.planning_parcels.line(`${theme},${layer},${value},${parcel_id}`);
  }

  /** The land around a country town. */
  rural(frame: Frame, size: TileSize, lga: string): void {
    for (const feature of ruralFeatures(size)) for (const file of this.files) file.write(frame, feature, lga);
  }

  /** Closes the files, and counts what each dataset takes of them. */
  close(capital: Frame): void {
    if (this.place.code === 'TAS') this.outline(capital);
    const { planning_datasets } = this.truth.files;
    for (const { id, path, takes } of this.datasets) {
      const { counts } = this.files.find(({ layer }) => layer.path === path[0])!;
      let taken = 0;
      let dropped = 0;
      for (const [pattern, count] of counts) {
        if (takes.includes(pattern)) taken += count;
        else dropped += count;
      }
      planning_datasets.line(`${id},${path[0]},${taken},${dropped}`);
    }
    for (const file of this.files) file.close(this.truth);
  }

  /** The councils around the capital are in the scheme, those around the country town are not. */
  private outline(capital: Frame): void {
    const path = join(this.folder, TAS_OUTLINE);
    mkdirSync(dirname(path), { recursive: true });
    const writer = new GeojsonWriter(path, []);
    const square = rectangle(-RURAL_HALF_M, -RURAL_HALF_M, RURAL_HALF_M, RURAL_HALF_M);
    writer.write(toDegrees(capital, simple(square)), []);
    writer.close();
    this.truth.count(TAS_OUTLINE, 1);
  }
}
