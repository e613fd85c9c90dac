import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { TRANSPORT_MODES } from '../../schema/records/stop.ts';
import type { Layer } from './layer_view.ts';
import { filled, first, lotColumn } from './parcel_signs.ts';
import { type Proposal, WORDS } from './propose_map.ts';

type Column = Layer['columns'][number];

const STOPS = /stops?([^a-z]|$)|stations?([^a-z]|$)|wharf|wharves/i;

/**
 * A field map to complete, for a layer that no named map reads: stops, for points in a file named so; a cadastre, where a column has
 * lots on plan; zones or a hazard, where a column has few codes or classes. Null: not recognised, as for a table without coordinates.
 */
export function proposeOwn({ file, families, columns, looked, states }: Layer): Proposal | null {
  if (families.length === 0) return null;
  const state = states.length === 1 ? states[0]! : '…';
  const isPolygon = families.includes('polygon');
  if (families.includes('point') && STOPS.test(file)) {
    const mode = TRANSPORT_MODES.find((each) => file.toLowerCase().includes(each)) ?? '…';
    return { adapter: 'stops', options: { mode } };
  }
  const isKey = (column: Column): boolean => filled(column) === looked && column.values.size === looked;
  const lots = isPolygon ? lotColumn(columns, looked) : null;
  if (lots !== null) {
    const ids = columns.filter((column) => isKey(column) && column.name !== lots.column);
    const id = ids.find(({ name }) => /pfi|parcel|cadid|(^|_)id$|objectid|fid/i.test(name)) ?? ids[0];
    const field_map = { parcel_id: id?.name ?? lots.column, ...lots.field_map };
    return { adapter: 'cadastre', options: { state, field_map } };
  }
  const classes = columns.filter(
    (column) => filled(column) > looked / 2 && column.values.size <= Math.max(1, filled(column) / 2),
  );
  const named = (pattern: RegExp): Column | undefined => classes.find(({ name }) => pattern.test(name));
  // an overlay without its figures says nothing
  if (WORDS.overlays!.test(file)) return null;
  const code = !isPolygon ? undefined : named(/zone.*(code|num|no|abb)|^zone$|sym_code|zone/i);
  if (code !== undefined) {
    const name =
      classes.find((column) => column !== code && /desc|name|label|lvl|zone/i.test(column.name)) ?? code;
    return { adapter: 'zoning', options: { state, field_map: { code: code.name, name: name.name } } };
  }
  // places with a column of kinds are of any subject: their file must name a hazard
  if (!isPolygon && !HAZARD_LAYERS.some((each) => WORDS[each]?.test(file))) return null;
  const kind = named(/class|categ|risk|hazard|likelihood|type|label|desc|name/i);
  if (kind === undefined) return null;
  const id = columns.filter(isKey).find(({ name }) => /(^|_)id$|objectid|fid/i.test(name));
  const field_map = {
    label: '…',
    name: kind.name,
    ...(id === undefined ? {} : { feature_id: id.name }),
    severity: Object.fromEntries(first(kind).map((value) => [value, '…'])),
  };
  return { adapter: 'hazards', options: { state, layer: '…', field_map } };
}
