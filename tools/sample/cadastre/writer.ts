import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ShapefileWriter } from '../formats/shapefile_writer.ts';
import type { Frame } from '../geography/frame.ts';
import type { Lot } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import { boxCentre, type Shape, shapeArea, toDegrees } from '../geography/shape.ts';
import type { Random } from '../random.ts';
import type { Truth } from '../truth.ts';
import type { ParcelFacts, ParcelRole, StateCadastre } from './parcel_facts.ts';
import { STATE_CADASTRE } from './states.ts';

/** A ground parcel as published, with its true area. */
export interface Parcel {
  readonly facts: ParcelFacts;
  /** State, a colon, and the publisher's identifier. */
  readonly parcel_id: string;
  readonly area_sqm: number;
  readonly shape: Shape;
}

/** Share of lots that an older or a proposed version, or an easement, overlies. */
const SHADOW_SHARE = 0.006;
/** Stacked lots published for one strata plan. */
const STACKED_ROWS = 8;

/** Streams the cadastre of one state: current lots, and the rows that must be dropped by name. */
export class CadastreWriter {
  readonly kind: StateCadastre;
  /** Ground parcels written. */
  parcels = 0;
  private readonly file: string;
  private readonly writer: ShapefileWriter;
  private readonly state: string;
  private readonly truth: Truth;
  private serial = 0;
  private plan = 1_000;

  constructor(folder: string, place: StatePlace, truth: Truth) {
    this.kind = STATE_CADASTRE[place.code];
    this.state = place.code;
    this.truth = truth;
    this.file = `cadastre/${this.kind.path}.shp`;
    const path = join(folder, 'cadastre', this.kind.path);
    mkdirSync(dirname(path), { recursive: true });
    this.writer = new ShapefileWriter(path, this.kind.fields, this.kind.crs.prj);
  }

  /** A new plan of subdivision. */
  nextPlan(): number {
    this.plan += 7;
    return this.plan;
  }

  /** Writes a lot and whatever overlies it. Lots with units are strata plans of their own. */
  lot(frame: Frame, lot: Lot, number: number, plan: number, suburb: string, random: Random): Parcel {
    const strata = lot.units > 0;
    const area_sqm = shapeArea(lot.shape) * frame.areaScale(...boxCentre(lot.shape));
    const base = { lot: number, plan: strata ? this.nextPlan() : plan, strata, unit: 0, area_sqm, suburb };
    const facts: ParcelFacts = { ...base, serial: ++this.serial, role: 'lot' };
    this.write(frame, lot.shape, facts);
    this.parcels++;
    if (strata) {
      for (let unit = 1; unit <= Math.min(lot.units, STACKED_ROWS); unit++)
        this.overlay(frame, lot.shape, base, 'stacked_strata', unit);
    } else if (random.chance(SHADOW_SHARE)) {
      for (const role of ['retired', 'proposed', 'easement'] as const)
        this.overlay(frame, lot.shape, base, role, 0);
    }
    return { facts, parcel_id: `${this.state}:${this.kind.parcelId(facts)}`, area_sqm, shape: lot.shape };
  }

  /** A road parcel, where the state publishes them. */
  road(frame: Frame, shape: Shape, number: number, plan: number, suburb: string): void {
    const area_sqm = shapeArea(shape) * frame.areaScale(0, 0);
    this.overlay(frame, shape, { lot: number, plan, strata: false, area_sqm, suburb }, 'road', 0);
  }

  /** A row with a broken shape: it must be rejected with `code`, or repaired under that name. */
  broken(frame: Frame, shape: Shape, code: string, fate: 'reject' | 'repair'): void {
    const facts = { lot: 1, plan: this.nextPlan(), strata: false, unit: 0, area_sqm: 0, suburb: 'NOWHERE' };
    this.write(frame, shape, { ...facts, serial: ++this.serial, role: 'lot' });
    if (fate === 'reject') {
      this.truth.reject(this.file, this.writer.count, code, 'a parcel whose shape is no shape');
      return;
    }
    this.parcels++;
    this.truth.files.repairs.line(`${this.file},${this.writer.count},${code}`);
  }

  close(): void {
    this.writer.close();
    this.truth.count(this.file, this.writer.count);
  }

  private overlay(
    frame: Frame,
    shape: Shape,
    base: Omit<ParcelFacts, 'serial' | 'role' | 'unit'>,
    role: Exclude<ParcelRole, 'lot'>,
    unit: number,
  ): void {
    if (!this.kind.roles.includes(role)) return;
    this.write(frame, shape, { ...base, serial: ++this.serial, role, unit });
    this.truth.drop(this.file, role);
  }

  private write(frame: Frame, shape: Shape, facts: ParcelFacts): void {
    const rings = toDegrees(frame, shape);
    this.kind.crs.fromGda2020(rings.coords);
    this.writer.write(rings, this.kind.row(facts));
  }
}
