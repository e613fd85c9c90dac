import type { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import type { Row } from '../../../schema/table.ts';
import { reportedDistance } from '../../../transforms/hazards/risk_row.ts';
import type { NearestToPoints } from '../../../transforms/layers/nearest_to_points.ts';
import type { NearestToParcels } from '../../../transforms/layers/parcel_findings.ts';
import { type HomeAddress, lonOnProperty } from '../addresses/home_addresses.ts';
import type { HazardClassIndex, HazardFeature } from './hazard_layers.ts';
import { findingOnParcel, type ParcelFinding } from './parcel_findings.ts';

/** A class of a hazard layer with what was found on parcels and at points of the addresses. */
export interface SearchedClass extends HazardClassIndex {
  readonly onParcels: NearestToParcels;
  readonly atPoints: NearestToPoints;
}

type PropertyRiskRow = Row<typeof propertyRiskTable>;
type RiskRow = { -readonly [K in keyof PropertyRiskRow]: PropertyRiskRow[K] };

/** Emits the rows of addresses. All rows are the same object, refilled for each. */
export class RiskRows {
  readonly #row: RiskRow;
  readonly #classes: readonly SearchedClass[];
  readonly #emit: (row: RiskRow) => void;

  constructor(
    cell: number,
    search_radius_m: number,
    classes: readonly SearchedClass[],
    emit: (row: RiskRow) => void,
  ) {
    this.#classes = classes;
    this.#emit = emit;
    this.#row = {
      gnaf_pid: '',
      layer: '',
      hazard_class: '',
      cell,
      state: '',
      sa2: null,
      sa3: null,
      measured_from: '',
      on_property: false,
      nearest_distance_m: 0,
      features_within_radius: 0,
      name: '',
      shape: '',
      search_radius_m,
      feature_id: '',
      code: null,
      severity: null,
      event_date: null,
      parcel_on: null,
      parcel_distance_m: null,
      parcel_features: null,
      parcel_share: null,
      point_on: null,
      point_distance_m: null,
      point_features: null,
      point_margin_m: null,
    };
  }

  /**
   * Emits the classes found from the i-th address's parcel, given by its number; returns their count. Classes found from the point only are
   * not served.
   */
  fromParcel(address: HomeAddress, i: number, parcel: number): number {
    this.#startAddress(address, 'parcel');
    const hasPoint = lonOnProperty(address) !== null;
    let emitted = 0;
    for (const at of this.#classes) {
      const finding = findingOnParcel(at, at.onParcels, parcel);
      if (finding === null) continue;
      this.#atParcel(true, finding);
      this.#atPoint(hasPoint, at.atPoints.nearest[i]! >= 0 ? at.atPoints : null, i);
      this.#emitClass(at, finding.is_on, finding.distance_m, finding.features, finding);
      emitted++;
    }
    return emitted;
  }

  /** Emits the classes found from the i-th address's point; returns their count. `parcel`: number of its parcel; -1: none. */
  fromPoint(address: HomeAddress, i: number, parcel: number): number {
    this.#startAddress(address, 'point');
    let emitted = 0;
    for (const at of this.#classes) {
      if (at.atPoints.nearest[i]! < 0) continue;
      this.#emitAtPoint(parcel >= 0, parcel < 0 ? null : findingOnParcel(at, at.onParcels, parcel), at, i);
      emitted++;
    }
    return emitted;
  }

  #startAddress({ gnaf_pid, state, sa2, sa3 }: HomeAddress, from: 'parcel' | 'point'): void {
    const row = this.#row;
    row.gnaf_pid = gnaf_pid;
    row.state = state;
    row.sa2 = sa2;
    row.sa3 = sa3;
    row.measured_from = from;
  }

  /** Fills the columns for the parcel; `there` null: nothing found. Without a parcel they are null (unknown). */
  #atParcel(hasParcel: boolean, parcelFinding: ParcelFinding | null): void {
    const row = this.#row;
    row.parcel_on = hasParcel ? (parcelFinding?.is_on ?? false) : null;
    row.parcel_distance_m = parcelFinding === null ? null : parcelFinding.distance_m;
    row.parcel_features = hasParcel ? (parcelFinding === null ? 0 : parcelFinding.features) : null;
    row.parcel_share = hasParcel ? (parcelFinding === null ? 0 : parcelFinding.share) : null;
  }

  /** Fills the columns for the i-th point; `found` null: nothing found. Without a point they are null (unknown). */
  #atPoint(hasPoint: boolean, nearest: NearestToPoints | null, i: number): void {
    const row = this.#row;
    const margin_m = nearest === null ? Infinity : nearest.margin_m[i]!;
    row.point_on = hasPoint ? nearest !== null && nearest.on[i] === 1 : null;
    row.point_distance_m = nearest === null ? null : nearest.distance_m[i]!;
    row.point_features = hasPoint ? (nearest === null ? 0 : nearest.features[i]!) : null;
    row.point_margin_m = margin_m === Infinity ? null : margin_m;
  }

  #emitAtPoint(hasParcel: boolean, there: ParcelFinding | null, at: SearchedClass, i: number): void {
    const { atPoints, features } = at;
    const is_on = atPoints.on[i] === 1;
    this.#atParcel(hasParcel, there);
    this.#atPoint(true, atPoints, i);
    const shownFeature = features[is_on ? atPoints.top[i]! : atPoints.nearest[i]!]!;
    this.#emitClass(at, is_on, atPoints.distance_m[i]!, atPoints.features[i]!, shownFeature);
  }

  /** Emits a class's row; the arguments fill the columns that do not depend on parcel or point. */
  #emitClass(
    { layer, hazard_class }: SearchedClass,
    on_property: boolean,
    exact_m: number,
    features: number,
    shownFeature: HazardFeature,
  ): void {
    const row = this.#row;
    row.layer = layer;
    row.hazard_class = hazard_class;
    row.on_property = on_property;
    row.nearest_distance_m = reportedDistance(on_property, exact_m);
    row.features_within_radius = features;
    row.name = shownFeature.name;
    row.shape = shownFeature.shape;
    row.feature_id = shownFeature.feature_id;
    row.code = shownFeature.code;
    row.severity = shownFeature.severity;
    row.event_date = shownFeature.event_date;
    this.#emit(row);
  }
}
