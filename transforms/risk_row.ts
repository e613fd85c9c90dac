import { riskValue } from './risk_value.ts';

/** What one subject, a parcel or a point, has of a hazard layer. */
export interface HazardFinding {
  is_on: boolean;
  distance_m: number;
  features: number;
  feature_id: string;
  name: string;
  code: string | null;
  severity: number | null;
  event_date: string | null;
}

/** The columns of a risk row that one of the two findings feeds. */
export interface FedColumns
  extends Pick<HazardFinding, 'name' | 'feature_id' | 'code' | 'severity' | 'event_date'> {
  measured_from: 'parcel' | 'point';
  on_property: boolean;
  nearest_distance_m: number;
  features_within_radius: number;
  value: string;
}

/**
 * Which of parcel and point a property is measured from: the preferred one where it is known, else the other; null: neither is.
 */
export function measuredFrom(
  preferred: 'parcel' | 'point',
  hasParcel: boolean,
  hasPoint: boolean,
): 'parcel' | 'point' | null {
  if (preferred === 'parcel' ? hasParcel : hasPoint) return preferred;
  if (hasParcel) return 'parcel';
  return hasPoint ? 'point' : null;
}

/** The columns of a risk row that come from the finding it is measured from. Distances are whole metres, 0 on the property. */
export function fedColumns(measured_from: 'parcel' | 'point', finding: HazardFinding): FedColumns {
  const { is_on, distance_m, features, feature_id, name, code, severity, event_date } = finding;
  const nearest_distance_m = is_on ? 0 : Math.round(distance_m);
  return {
    measured_from,
    on_property: is_on,
    nearest_distance_m,
    features_within_radius: features,
    name,
    value: riskValue(is_on, nearest_distance_m, name),
    feature_id,
    code,
    severity,
    event_date,
  };
}
