import { featureCount } from '../../contract/map/rows_by_cell.ts';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { type Became, CHANGE_KINDS } from '../../store/journal/between.ts';
import { hasPast, isRegionLevel, LAYERS, type MapLayer } from './layers.ts';
import { momentText } from './moment.ts';
import type { MapSnapshot, PastViews } from './past_views.ts';

/** A layer as the page draws it. */
export interface DrawnLayer extends MapLayer {
  /** URL of its tiles. */
  tiles: string;
  /** Name of the layer inside its tiles. */
  inside: string;
  /** Number of added, removed and changed features. Absent: the layer shows a state, not a difference. */
  counts?: Record<Became, number>;
  /** True: its table got its first rows in between, so everything is new and nothing is drawn. */
  isFirst?: boolean;
}

const drawn = (layer: MapLayer, moment: MapSnapshot | null): DrawnLayer => ({
  ...layer,
  tiles: `/map/tiles/${layer.name}/{z}/{x}/{y}${momentText(moment)}`,
  inside: layer.name,
});

const TABLES: Readonly<Record<string, string>> = {
  parcel: 'parcel_shape',
  address: 'property',
  place: 'place',
  stop: 'stop',
  school: 'school',
  ...Object.fromEntries(HAZARD_LAYERS.map((layer) => [layer, 'hazard'])),
};
const tableOf = (layer: string): string => (isRegionLevel(layer) ? 'region_shape' : TABLES[layer]!);

/** Layers of the served publication, or of an earlier one. */
export const layersAt = (moment: MapSnapshot | null): DrawnLayer[] =>
  LAYERS.filter(({ name }) => moment === null || hasPast(name)).map((layer) => drawn(layer, moment));

/** Layers of the differences between two publications, over the suburbs of the later one. Their names begin with `changed-`. */
export async function layersBetween(
  past: PastViews,
  publication: number,
  since: number,
  last: number | null,
): Promise<DrawnLayer[]> {
  const ground = drawn(
    LAYERS.find(({ name }) => name === 'SAL')!,
    publication === last ? null : { publication, since: null },
  );
  return past.between(since, publication, async ({ of, firsts }) => {
    const layers: DrawnLayer[] = [{ ...ground, group: 'Ground' }];
    for (const layer of LAYERS.filter(({ group, name }) => group !== 'Ground' && hasPast(name))) {
      const counts = { added: 0, removed: 0, changed: 0 };
      for (const became of CHANGE_KINDS) counts[became] = await featureCount(of[became], layer.name);
      layers.push({
        ...drawn(layer, { publication, since }),
        name: `changed-${layer.name}`,
        min_zoom: 0,
        counts,
        isFirst: firsts.includes(tableOf(layer.name)),
      });
    }
    return layers;
  });
}
