import type { MeshBlock } from '../asgs/mesh_blocks.ts';
import type { StateCadastre } from '../cadastre/parcel_facts.ts';
import type { Parcel } from '../cadastre/writer.ts';
import type { Frame } from '../geography/frame.ts';
import type { Block, Lot } from '../geography/lot.ts';
import type { StatePlace } from '../geography/places.ts';
import type { Random } from '../random.ts';
import type { Truth } from '../truth.ts';
import { suffixName } from './authority.ts';
import type { AddressDraft } from './draft.ts';
import type { Locality, Street } from './locality_writer.ts';
import { CREATED, type StateTables } from './release.ts';

/** What the addresses of one lot have in common. */
export interface LotContext {
  readonly frame: Frame;
  readonly lot: Lot;
  readonly parcel: Parcel;
  readonly cadastre: StateCadastre;
  readonly locality: Locality;
  readonly zone: string;
  readonly block: Block | null;
  /** Called for every live principal address that is written. */
  onPrincipal(address: PrincipalAddress): void;
  /** Mesh block of a block of the suburb. */
  meshBlock(col: number, row: number): MeshBlock;
}

/** A live principal address that has been written; empty degrees: it has no point. */
export interface PrincipalAddress {
  readonly pid: string;
  readonly draft: AddressDraft;
  readonly street: Street | null;
  readonly lon: string;
  readonly lat: string;
}

/** Degrees as G-NAF writes them, eight decimals; empty: none. */
interface Place {
  readonly lon: string;
  readonly lat: string;
}

const NO_PLACE: Place = { lon: '', lat: '' };

/** Point of an address with everything G-NAF says about it. */
interface Point extends Place {
  readonly type: string;
  readonly level: number;
  readonly match: number;
  readonly mesh: MeshBlock;
  /** Published only as a site geocode. */
  readonly site_only: boolean;
}

const DATES = [CREATED, '2012-08-07', '2019-11-01'] as const;
/** Shares of addresses whose mesh block link is wrong, and missing. */
const WRONG_MESH_BLOCK = 0.001;
const NO_MESH_BLOCK = 0.003;
const SETBACK_M = 3;
const GAP_M = 2;

/** Writes the address tables of one state, and the truth of each address. */
export class AddressWriter {
  /** Live principal addresses, which is what the generator counts as properties. */
  properties = 0;
  /** Rows of ADDRESS_DETAIL. */
  addresses = 0;
  private readonly state: StatePlace;
  private readonly tables: StateTables;
  private readonly truth: Truth;
  private links = 0;
  private lastLot: Lot | null = null;
  private lastCentre = NO_PLACE;

  constructor(state: StatePlace, tables: StateTables, truth: Truth) {
    this.state = state;
    this.tables = tables;
    this.truth = truth;
  }

  /** PID of an address by its number in the state. */
  pid(serial: number): string {
    return this.state.pid + (900_000_000 + serial);
  }

  /** Writes the addresses of a lot; a unit follows its building, an alias its principal. */
  lot(drafts: readonly AddressDraft[], context: LotContext, random: Random): void {
    let parent = '';
    let principal = '';
    for (const draft of drafts) {
      const pid = this.pid(++this.addresses);
      if (draft.primary_secondary === 'P') parent = pid;
      if (principal === '') principal = pid;
      const point = this.locate(draft, context, random);
      this.write(pid, draft, point, context, { parent, principal }, random);
    }
  }

  private write(
    pid: string,
    draft: AddressDraft,
    point: Point,
    context: LotContext,
    links: { parent: string; principal: string },
    random: Random,
  ): void {
    const { tables } = this;
    const { locality, lot } = context;
    const serial = this.addresses;
    const site = `${this.state.digit}${String(serial).padStart(9, '0')}`;
    const date = DATES[serial % 3]!;
    const street = draft.streetless ? null : locality.streets[lot.street]!;
    const legal = legalId(draft, context);
    const retired = draft.role === 'retired' && serial % 2 === 0 ? '2024-11-04' : '';
    const lotNumber = draft.lot_shown ? String(context.parcel.facts.lot) : '';
    const principal = draft.role === 'alias' ? 'A' : 'P';
    tables.ADDRESS_DETAIL.line(
      `${pid}|${date}|2025-08-04|${retired}|${draft.building}||${lotNumber}||${draft.flat_type}||${draft.flat_number}||${draft.level_type}||${draft.level_number}|||${draft.number_first}|${draft.number_suffix}||${draft.number_last}||${street?.pid ?? ''}|${draft.streetless ? 'VIA THE OLD ROAD' : ''}|${locality.pid}|${principal}|${locality.postcode}||${legal}|${draft.confidence}|${site}|${point.level}|||${draft.primary_secondary}`,
    );
    const [lon, lat] = point.site_only ? ['', ''] : [point.lon, point.lat];
    tables.ADDRESS_DEFAULT_GEOCODE.line(
      `${site}|${date}||${pid}|${point.site_only ? 'PC' : point.type}|${lon}|${lat}`,
    );
    tables.ADDRESS_SITE.line(`${site}|${date}||${lot.kind === 'rural' ? 'R' : 'UR'}|`);
    if (point.lon !== '')
      tables.ADDRESS_SITE_GEOCODE.line(
        `${site}|${date}||${site}|||${point.type}|2||||${point.lon}|${point.lat}`,
      );
    this.linkMeshBlock(pid, site, date, point, context, random);
    if (draft.role === 'alias')
      tables.ADDRESS_ALIAS.line(`${++this.links}|${date}||${links.principal}|${pid}|${draft.alias_type}|`);
    if (draft.primary_secondary === 'S')
      tables.PRIMARY_SECONDARY.line(`${++this.links}|${links.parent}|${pid}|${date}||1|`);
    if (draft.role === 'principal') {
      this.properties++;
      context.onPrincipal({ pid, draft, street, lon: point.lon, lat: point.lat });
    }
    this.record(pid, draft, point, context, { legal, street, lotNumber, ...links });
  }

  private locate({ placement }: AddressDraft, context: LotContext, random: Random): Point {
    const { lot, locality, frame, block } = context;
    if (placement === 'locality') {
      return pointOf('LOC', place(frame, ...locality.point), context.meshBlock(...locality.block), 4, 5);
    }
    if (placement === 'street') {
      const { point, block: at } = locality.streets[lot.street]!;
      return pointOf('STL', place(frame, ...point), context.meshBlock(...at), 6, 4);
    }
    const own = block === null ? context.meshBlock(-1, -1) : context.meshBlock(block.col, block.row);
    const [ax, ay] = lot.anchor;
    switch (placement) {
      case 'missing':
        return pointOf('PC', NO_PLACE, own);
      case 'site':
        return pointOf('PAPS', beside(frame, lot, -SETBACK_M), own, 7, 1, true);
      case 'gap':
        return pointOf('GG', beside(frame, lot, GAP_M), own, 7, 2);
      case 'setback':
        return pointOf('FCS', beside(frame, lot, -SETBACK_M), own);
      case 'building':
        return pointOf('BC', place(frame, ax + random.next() - 0.5, ay + random.next() - 0.5), own);
      default:
        return pointOf('PC', this.centre(frame, lot), own);
    }
  }

  /** Position of the middle of a lot, which all units of a building share. */
  private centre(frame: Frame, lot: Lot): Place {
    if (this.lastLot !== lot) {
      this.lastLot = lot;
      this.lastCentre = place(frame, ...lot.anchor);
    }
    return this.lastCentre;
  }

  /** Writes the mesh block link; a few are missing, and a few name a neighbour. */
  private linkMeshBlock(
    pid: string,
    site: string,
    date: string,
    point: Point,
    context: LotContext,
    random: Random,
  ): void {
    const draw = random.next();
    if (draw < NO_MESH_BLOCK) return;
    let linked = point.mesh;
    if (draw > 1 - WRONG_MESH_BLOCK && point.match === 1 && point.lon !== '' && context.block !== null) {
      const other = context.meshBlock(0, context.block.row === 0 ? 1 : context.block.row - 1);
      if (other.code !== linked.code) {
        this.truth.files.mesh_block_disagreements.line(`${pid},${other.code},${linked.code}`);
        linked = other;
      }
    }
    this.tables.ADDRESS_MESH_BLOCK_2021.line(`${site}|${date}||${pid}|${point.match}|MB21${linked.code}`);
  }

  private record(
    pid: string,
    draft: AddressDraft,
    point: Point,
    { lot, parcel, locality, zone, cadastre }: LotContext,
    more: { legal: string; street: Street | null; lotNumber: string; parent: string; principal: string },
  ): void {
    const { street } = more;
    const { mesh } = point;
    const { sal, lga, poa, sa2 } = locality.regions;
    const joins = draft.legal === 'current' && (draft.unit > 0 ? cadastre.joins.unit : cadastre.joins.lot);
    const onParcel = point.level === 7 && point.lon !== '';
    const method = joins
      ? 'legal_id'
      : !onParcel
        ? 'none'
        : draft.placement === 'gap'
          ? 'nearest'
          : 'point_in_parcel';
    const alias = draft.role === 'alias';
    const live = draft.confidence >= 0;
    this.truth.files.properties.line(
      `${pid},${this.state.code},${alias ? 'A' : 'P'},${live},${draft.building},${more.lotNumber},${draft.flat_type},${draft.flat_number},${draft.level_type},${draft.level_number},${draft.number_first}${draft.number_suffix},${draft.number_last},${street?.name ?? ''},${street?.type ?? ''},${street?.suffix ? suffixName(street.suffix) : ''},${locality.name},${locality.postcode},${draft.primary_secondary},${draft.primary_secondary === 'S' ? more.parent : ''},${alias ? more.principal : ''},${point.lon === '' ? '' : point.type},${point.level},${point.lon},${point.lat},${more.legal},${parcel.parcel_id},${method},${parcel.area_sqm.toFixed(lot.kind === 'rural' ? 0 : 2)},${zone},${mesh.code},${mesh.sa1},${sa2},${sal},${lga},${poa}`,
    );
  }
}

const place = (frame: Frame, x: number, y: number): Place => ({
  lon: frame.lon(x, y).toFixed(8),
  lat: frame.lat(x, y).toFixed(8),
});

/** Place before the frontage of a lot, or behind it where `outward_m` is negative. */
function beside(frame: Frame, { front, outward }: Lot, outward_m: number): Place {
  return place(frame, front[0] + outward[0] * outward_m, front[1] + outward[1] * outward_m);
}

function pointOf(
  type: string,
  { lon, lat }: Place,
  mesh: MeshBlock,
  level = 7,
  match = 1,
  site_only = false,
): Point {
  return { type, level, lon, lat, match, mesh, site_only };
}

function legalId(draft: AddressDraft, { cadastre, parcel }: LotContext): string {
  if (draft.legal === 'missing') return '';
  const facts =
    draft.legal === 'current' ? parcel.facts : { ...parcel.facts, plan: parcel.facts.plan + 900_000 };
  return cadastre.legalId(facts, draft.unit);
}
