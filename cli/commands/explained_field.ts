import { ENDPOINTS } from '../../contract/index.ts';
import { EtlError } from '../../schema/errors.ts';
import { HAZARD_LAYERS, hazardPath } from '../../schema/records/hazard.ts';

/** Field name for the whole valuation. */
export const VALUATION = 'avm';

/** A field to explain. `part`: continues the key, if a property has several rows. */
export interface ExplainTarget {
  field: string;
  part: string | null;
}

const wholeField = (field: string): ExplainTarget => ({ field, part: null });

/** Fields behind endpoints that answer one value or one kind of row. */
const ANSWERS: Readonly<Record<string, ExplainTarget>> = {
  'valuation/avm': wholeField(VALUATION),
  profile: wholeField('property_profile.suburb'),
  'basics/land-area-sqm': wholeField('property.land_area_sqm'),
  'basics/dwelling-type': wholeField('property.dwelling_type'),
  'basics/bed-count': wholeField('property_basics.bedrooms'),
  'basics/bath-count': wholeField('property_basics.bathrooms'),
  'basics/parking-count': wholeField('property_basics.parking'),
  'development/zoning-code': wholeField('property_zoning.code'),
  'development/zoning-overlays': wholeField('property_overlay.value'),
  neighbours: wholeField('property_neighbour.shared_m'),
  ...Object.fromEntries(
    HAZARD_LAYERS.map((layer) => [
      `risks/${hazardPath(layer)}`,
      { field: 'property_risk.nearest_distance_m', part: layer },
    ]),
  ),
};

/**
 * Finds the field behind an endpoint, by its path or the end of it. Any other text is a field. @throws EtlError config_invalid if the
 * endpoint answers several values
 */
export function explainedOf(value: string): ExplainTarget {
  const endpoint = ENDPOINTS.find(
    ({ subject, subpath }) => subject === 'property' && (subpath === value || subpath.endsWith(`/${value}`)),
  );
  if (endpoint === undefined) return wholeField(value);
  const answer = ANSWERS[endpoint.subpath];
  if (answer !== undefined) return answer;
  throw new EtlError(
    'config_invalid',
    `${endpoint.subpath} combines many values: explain the property, or one of ${Object.keys(ANSWERS).join(', ')}.`,
  );
}
