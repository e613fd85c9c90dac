import { TRANSPORT_MODES } from '../../schema/records/stop.ts';
import { ZONE_SCHEMES, zoneCategory } from '../../sources/zoning/categories.ts';
import { ZONE_CODE, ZONE_COLUMN } from '../../sources/zoning/recognition.ts';
import type { InspectedLayer, LayerColumn } from './layer_view.ts';
import type { Proposal } from './map_evidence.ts';
import { filled, first, isRowNumber, lotColumn } from './parcel_signs.ts';
import { evidenceFor, hazardOf } from './subject_evidence.ts';
import { doubtAboutZones, share } from './zone_doubt.ts';

/**
 * Chooses the fields of zones: the column named after zones whose values are most often codes, preferably of the state's scheme. If its
 * values are not codes, the fields are left open. Null: no column is named after zones.
 */
function zoneFields(classes: readonly LayerColumn[], state: string): Record<string, unknown> | null {
  const zoneColumns = classes.filter(({ name }) => ZONE_COLUMN.test(name));
  if (zoneColumns.length === 0) return null;
  const scheme = Object.hasOwn(ZONE_SCHEMES, state.toLowerCase()) ? state.toLowerCase() : null;
  const isKnown = (text: string): boolean => scheme !== null && zoneCategory(scheme, text, null) !== null;
  const score = (column: LayerColumn): number =>
    column.values.size < 2 ? 0 : share(column, isKnown) + share(column, (text) => ZONE_CODE.test(text));
  const code = zoneColumns.reduce((best, each) => (score(each) > score(best) ? each : best));
  if (score(code) < 0.5) return { code: OPEN, name: OPEN };
  const name = zoneColumns.find((each) => each !== code && each.values.size > 1) ?? code;
  return { code: code.name, name: name.name, ...(share(code, isKnown) >= 0.5 ? { scheme } : {}) };
}

const OPEN = '…';

const STOPS = /stops?([^a-z]|$)|stations?([^a-z]|$)|wharf|wharves/i;

/**
 * Proposes a field map to complete, for a layer that no named map reads. Stops: points in a file named after stops. Cadastre: a column with
 * lots on plan. Zones or a hazard: a column with few codes or classes. Null: not recognised, or a table without coordinates.
 */
export function proposeOwn(layer: InspectedLayer): Proposal | null {
  const { file, families, columns, looked, states } = layer;
  if (families.length === 0) return null;
  const state = states.length === 1 ? states[0]! : '…';
  const isPolygon = families.includes('polygon');
  if (families.includes('point') && STOPS.test(file)) {
    const mode = TRANSPORT_MODES.find((each) => file.toLowerCase().includes(each)) ?? '…';
    return { adapter: 'stops', options: { mode } };
  }
  const isKey = (column: LayerColumn): boolean => filled(column) === looked && column.values.size === looked;
  const lots = isPolygon ? lotColumn(columns, looked, states) : null;
  if (lots !== null && !evidenceFor('cadastre', layer).against) {
    const ids = columns.filter(
      (column) => isKey(column) && column.name !== lots.column && !isRowNumber(column),
    );
    const id = ids.find(({ name }) => /pfi|parcel|cadid|(^|_)id$/i.test(name));
    const field_map = { parcel_id: id?.name ?? lots.column, ...lots.field_map };
    return { adapter: 'cadastre', options: { state, field_map } };
  }
  const classes = columns.filter(
    (column) => filled(column) > looked / 2 && column.values.size <= Math.max(1, filled(column) / 2),
  );
  // A map of overlays is useless without the columns of their values.
  if (evidenceFor('overlays', layer).named) return null;
  const zones = isPolygon && !evidenceFor('zoning', layer).against ? zoneFields(classes, state) : null;
  if (zones !== null) {
    const doubt = doubtAboutZones(layer, String(zones.code));
    return {
      adapter: 'zoning',
      options: { state, field_map: zones },
      ...(doubt === undefined ? {} : { doubt }),
    };
  }
  // Kinds occur in layers of any subject, so only the layer's name identifies a hazard.
  const hazard = hazardOf(layer);
  if (hazard === null) return null;
  const kind = classes.find(({ name }) =>
    /class|categ|risk|hazard|likelihood|type|label|desc|name/i.test(name),
  );
  if (kind === undefined) return null;
  const id = columns.find((column) => isKey(column) && !isRowNumber(column) && /(^|_)id$/i.test(column.name));
  const field_map = {
    label: '…',
    name: kind.name,
    ...(id === undefined ? {} : { feature_id: id.name }),
    severity: Object.fromEntries(first(kind).map((value) => [value, '…'])),
  };
  return { adapter: 'hazards', options: { state, layer: hazard, field_map } };
}
