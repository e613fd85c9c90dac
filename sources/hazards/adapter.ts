import type { EtlError } from '../../schema/errors.ts';
import { COVERAGE_RECORDS } from '../../schema/records/coverage.ts';
import { hazardPieceRecord } from '../../schema/records/hazard.ts';
import type { DatasetConfig, SourceAdapter } from '../adapter.ts';
import { type LayerPart, planLayers, readLayer } from '../layers/layer_parts.ts';
import { badOption } from '../release/options.ts';
import { defaultFieldMap } from './field_maps.ts';
import { type HazardFile, HazardRows } from './hazard_rows.ts';
import { readHazardOptions } from './options.ts';
import { registerKey } from './registers.ts';

type HazardPart = LayerPart & HazardFile;

/** Layers that Victoria publishes next to the recorded extents: floods of a return period, and the probable maximum flood. */
const MODELLED = /^EXTENT_(\d+Y_ARI|PMF)/i;

const modelled = (dataset: DatasetConfig, id: string): EtlError =>
  badOption(
    dataset,
    `${id} is a modelled flood extent, but historical_flood is for recorded floods: exclude it with the option layers, or configure it as flood`,
  );

/** Hazards of one layer from state, council and federal files, through the field map of the dataset. */
export const hazardsAdapter: SourceAdapter = {
  name: 'hazards',
  version: 12,
  placeUnit: 'feature',
  title: 'Hazards',
  publisher: 'State, council and federal agencies',
  licence:
    'CC BY 4.0 (VIC, NSW RFS, QLD, WA OBRM, Geoscience Australia), CC BY (NSW planning), CC BY 3.0 AU (SA, TAS); WA floodplain must be accepted',
  attribution: 'Contains hazard data of Australian governments and councils.',
  tables: [hazardPieceRecord, ...COVERAGE_RECORDS],
  checkOptions: readHazardOptions,
  async discover(dataset) {
    const { state, layer, layers, map, mapName, event, coverage } = readHazardOptions(dataset);
    // An operator's own map may read a council's identifiers, which another council may use too; another map of a layer reads
    // another product with its own numbers. The product name in the key keeps them apart.
    const product = mapName ?? dataset.id;
    const prefix = `${state}:${layer}:${product === defaultFieldMap(state, layer) ? '' : `${product}/`}`;
    const plan = { theme: layer, state, layers, coverage, statewide: map.statewide };
    return planLayers(
      dataset,
      plan,
      ({ id, source }, isOnly) => {
        if (layer === 'historical_flood' && MODELLED.test(id)) throw modelled(dataset, id);
        const unnamed = `${state}:${layer}:${dataset.id}/${id}/`;
        const register = map.listing === null ? '' : registerKey(map.listing, source, isOnly);
        return { layer, map, event, prefix: prefix + register, unnamed };
      },
      (part, fields) => new HazardRows(part, fields, new Map()),
    );
  },
  readPart: (_release, part, { signal }) =>
    readLayer(
      part,
      {
        table: hazardPieceRecord,
        kindsOf: ({ map }: HazardPart) => map.kinds,
        bind: (source, fields, names) => new HazardRows(source, fields, names),
      },
      signal,
    ),
};
