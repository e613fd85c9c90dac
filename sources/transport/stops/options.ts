import { z } from 'zod';
import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { aliases } from '../../fields/column_filter.ts';
import { type Layers, layersOption } from '../../release/feature_release.ts';
import { badOption, parseOptions } from '../../release/options.ts';

/** Modes of Victoria's layers, by layer name. */
const LAYER_MODES: Readonly<Record<string, TransportMode>> = {
  ptv_metro_train_station: 'train',
  ptv_regional_train_station: 'train',
  ptv_metro_tram_stop: 'tram',
  ptv_metro_bus_stop: 'bus',
  ptv_regional_bus_stop: 'bus',
  ptv_regional_coach_stop: 'bus',
  ptv_skybus_stop: 'bus',
};

/** Column names of publishers. */
const STOP_ID = ['STOP_ID', 'STOPID', 'STOP_CODE', 'TSN', 'ID'];
const LABEL = ['STOP_NAME', 'STOPNAME', 'STATION', 'STATION_NAME', 'NAME'];

const optionsSchema = z.strictObject({
  mode: z.enum(TRANSPORT_MODES).optional(),
  modes: z.record(z.string().min(1), z.enum(TRANSPORT_MODES)).default({}),
  layers: layersOption,
  field_map: z
    .strictObject({ stop_id: aliases.default(STOP_ID), label: aliases.default(LABEL) })
    .prefault({}),
});

/** Options of a dataset of stop layers. */
export interface StopsOptions {
  readonly layers: Layers;
  readonly fields: { readonly stop_id: readonly string[]; readonly label: readonly string[] };
  /** Returns the mode of a layer; EtlError `bad_option` if no option states it. */
  modeOf(layer: string): TransportMode;
}

/** Reads the options of a dataset of stop layers: `mode` for all of them, or `modes` by layer name. EtlError `bad_option`. */
export function readStopsOptions(dataset: DatasetConfig): StopsOptions {
  const { mode, modes, layers, field_map } = parseOptions(optionsSchema, dataset);
  const byLayer = new Map(Object.entries(modes).map(([layer, each]) => [layer.toLowerCase(), each]));
  return {
    layers,
    fields: field_map,
    modeOf(layer) {
      const name = layer.toLowerCase();
      const fieldMap =
        byLayer.get(name) ?? mode ?? (Object.hasOwn(LAYER_MODES, name) ? LAYER_MODES[name] : undefined);
      if (fieldMap !== undefined) return fieldMap;
      throw badOption(
        dataset,
        `nothing says which mode serves the stops of the layer ${layer}: set mode, or modes: {${layer}: bus}, to one of ${TRANSPORT_MODES.join(', ')}`,
      );
    },
  };
}
