import {
  type SuburbMeshBlocks,
  writeMeshBlocks,
  writeRuralMeshBlocks,
  writeSuburb,
} from './asgs/mesh_blocks.ts';
import { StateRegions, type SuburbRegions } from './asgs/regions.ts';
import type { AsgsWriter } from './asgs/writer.ts';
import { CadastreWriter, type Parcel } from './cadastre/writer.ts';
import { type CensusWriter, homesBySa1 } from './census/country.ts';
import { meetings } from './geography/adjoining.ts';
import { BLOCK_WIDTH } from './geography/block.ts';
import { Frame } from './geography/frame.ts';
import { CAPITAL_TILES, type Site, siteOf, type TileSize } from './geography/layout.ts';
import type { Block, Lot } from './geography/lot.ts';
import { STATES, type StatePlace, type Town } from './geography/places.ts';
import { ruralLots, ruralOutline } from './geography/rural.ts';
import { rectangle, simple } from './geography/shape.ts';
import { buildSuburb, type SuburbLand, type SuburbStreet } from './geography/suburb.ts';
import { salName, suburbName } from './geography/words.ts';
import { AddressWriter, type LotContext } from './gnaf/address_writer.ts';
import { draftAddresses } from './gnaf/draft.ts';
import { type Locality, LocalityWriter } from './gnaf/locality_writer.ts';
import type { StateTables } from './gnaf/release.ts';
import type { NationalWriter } from './hazards/national_writer.ts';
import { type BlockTruth, PlanningWriter } from './hazards/writer.ts';
import type { SuburbMarket } from './market/price_model.ts';
import type { MarketWriter } from './market/writer.ts';
import type { PlacesWriter } from './places/writer.ts';
import { ZoneWriter } from './planning/writer.ts';
import { type Random, seededRandom } from './random.ts';
import type { SchoolsWriter } from './schools/writer.ts';
import type { TransportWriter } from './transport/writer.ts';
import type { Truth } from './truth.ts';

/** What all states of one sample share. */
export interface SampleContext {
  readonly seed: number;
  readonly out: string;
  readonly size: TileSize;
  readonly truth: Truth;
  readonly asgs: AsgsWriter;
  readonly national: NationalWriter;
  readonly census: CensusWriter;
  readonly schools: SchoolsWriter;
  readonly transport: TransportWriter;
  readonly places: PlacesWriter;
  readonly market: MarketWriter;
  /** One suburb in this many has its adjoining parcels listed. */
  readonly adjoiningEvery: number;
}

/** Builds one state suburb by suburb until it has its properties. */
export class StateBuilder {
  readonly addresses: AddressWriter;
  readonly cadastre: CadastreWriter;
  suburbs = 0;
  /** PID of the first locality of the state. */
  firstLocality = '';
  private readonly context: SampleContext;
  private readonly place: StatePlace;
  private readonly quota: number;
  private readonly tables: StateTables;
  private readonly localities: LocalityWriter;
  private readonly zones: ZoneWriter;
  private readonly planning: PlanningWriter;
  private readonly regions: StateRegions;
  private readonly capital: Frame;
  private readonly towns: Frame[];
  private readonly ruralDone = new Set<number>();

  constructor(context: SampleContext, place: StatePlace, quota: number, tables: StateTables) {
    const frameOf = ({ lon, lat, turn_deg }: Town): Frame => new Frame(lon, lat, turn_deg);
    this.context = context;
    this.place = place;
    this.quota = quota;
    this.tables = tables;
    this.addresses = new AddressWriter(place, tables, context.truth);
    this.cadastre = new CadastreWriter(context.out, place, context.truth);
    this.localities = new LocalityWriter(context.seed, place, tables);
    this.zones = new ZoneWriter(context.out, place, context.truth);
    this.planning = new PlanningWriter(context.out, place, context.truth);
    this.regions = new StateRegions(place, context.size);
    this.capital = frameOf(place.capital);
    this.towns = place.towns.map(frameOf);
  }

  /** Properties still to come. */
  get room(): number {
    return this.quota - this.addresses.properties;
  }

  /** Adds the next suburb, and before the first one of a country town the land around it. */
  addSuburb(): void {
    const { context, place } = this;
    const k = this.suburbs++;
    const site = siteOf(k, place.towns.length);
    const frame = site.town < 0 ? this.capital : this.towns[site.town]!;
    if (site.town >= 0 && !this.ruralDone.has(site.town)) this.addRural(site.town, frame);
    const land = buildSuburb(context.seed, `${place.code} ${k}`, site, context.size);
    const { name, reach } = suburbName(STATES.indexOf(place), k);
    const town = site.town < 0 ? place.capital : place.towns[site.town]!;
    const regions = this.regions.suburb(site, frame, name, salName(name, reach, town.name, place.abs));
    const locality = this.locality(frame, name, regions, { ...middleOf(land), streets: land.streets }, site);
    this.firstLocality ||= locality.pid;
    const meshBlocks = writeMeshBlocks(context.asgs, this.regions, this.tables, frame, land, regions);
    writeSuburb(context.asgs, frame, simple(rectangle(land.x0, land.y0, land.x1, land.y1)), regions);
    this.zones.suburb(frame, land, regions.lga.name);
    const truths = this.planning.suburb(frame, land, regions.lga.name);
    context.census.suburb(place, regions, homesBySa1(land.blocks, meshBlocks));
    context.schools.suburb(place, k, frame, land, regions, meshBlocks, name);
    context.transport.suburb(place.code, k, frame, land, name);
    context.places.suburb(place.code, k, frame, land, name);
    const random = seededRandom(context.seed, `addresses ${place.code} ${k}`);
    const market = context.market.suburb(place, k, land);
    const parcels = this.blocks(frame, land, locality, meshBlocks, truths, market, random);
    if (k % context.adjoiningEvery === 0) this.adjoining(frame, parcels, regions);
  }

  /** Parcels with broken rings, far from any suburb. */
  addBrokenParcels(): void {
    const x = -(CAPITAL_TILES - 0.5) * this.context.size.cols * BLOCK_WIDTH;
    const { cadastre, capital } = this;
    cadastre.broken(capital, simple([x, 0, x + 20, 0, x + 40, 0]), 'zero_area', 'reject');
    cadastre.broken(capital, simple(rectangle(9e6, 0, 9e6 + 20, 30)), 'outside_australia', 'reject');
    cadastre.broken(
      capital,
      simple([x, 0, x + 20, 30, x + 20, 0, x, 30]),
      'self_intersection_split',
      'repair',
    );
  }

  /** Closes the state's own files and writes the regions above its suburbs. */
  finish(): void {
    this.regions.finish(
      this.context.asgs,
      this.capital,
      [...this.ruralDone].map((town) => this.towns[town]!),
    );
    this.cadastre.close();
    this.zones.close();
    this.planning.close(this.capital);
  }

  private locality(
    frame: Frame,
    name: string,
    { sal, lga, poa, chain }: SuburbRegions,
    place: Pick<Locality, 'point' | 'block'> & { readonly streets: readonly SuburbStreet[] },
    site: Site | null,
  ): Locality {
    const regions = { sal: sal.code, lga: lga.code, poa, sa2: chain.sa2.code };
    return this.localities.write(frame, { ...place, name: name.toUpperCase(), postcode: poa, regions }, site);
  }

  private blocks(
    frame: Frame,
    land: SuburbLand,
    locality: Locality,
    meshBlocks: SuburbMeshBlocks,
    truths: ReadonlyMap<Block, BlockTruth>,
    market: SuburbMarket,
    random: Random,
  ): Parcel[] {
    const parcels: Parcel[] = [];
    for (const block of land.blocks) {
      const plan = this.cadastre.nextPlan();
      const truth = truths.get(block);
      block.lots.forEach((lot, index) => {
        const parcel = this.cadastre.lot(frame, lot, index + 1, plan, locality.name, random);
        parcels.push(parcel);
        this.planning.parcel(truth, parcel.parcel_id);
        this.address(frame, lot, parcel, locality, block, meshBlocks.of, market, random);
      });
    }
    const plan = this.cadastre.nextPlan();
    for (const { row, y0, col } of land.blocks) {
      if (col === 0 && row > 0)
        this.cadastre.road(
          frame,
          simple(rectangle(land.x0, y0 - 10, land.x1, y0 + 10)),
          row,
          plan,
          locality.name,
        );
    }
    return parcels;
  }

  private address(
    frame: Frame,
    lot: Lot,
    parcel: Parcel,
    locality: Locality,
    block: Block | null,
    meshBlock: LotContext['meshBlock'],
    market: SuburbMarket,
    random: Random,
  ): void {
    const drafts = draftAddresses(lot, this.room, random);
    if (drafts.length === 0) return;
    const zone = this.zones.code(block?.use ?? 'rural');
    this.addresses.lot(
      drafts,
      {
        frame,
        lot,
        parcel,
        cadastre: this.cadastre.kind,
        locality,
        zone,
        block,
        meshBlock,
        onPrincipal: (address) =>
          this.context.market.home({ ...address, state: this.place.code, locality, lot, parcel }, market),
      },
      random,
    );
  }

  /** The stations around a country town: a locality, an SA1 and an SA2 of their own. */
  private addRural(town: number, frame: Frame): void {
    const { context, place } = this;
    this.ruralDone.add(town);
    const name = `${place.towns[town]!.name} Plains`;
    const lots = ruralLots(context.size);
    const outline = ruralOutline(context.size);
    const regions = this.regions.rural(town, frame, name);
    const [x, y] = lots[0]!.anchor;
    const streets = [ruralRoad(x + 5, y)];
    const locality = this.locality(frame, name, regions, { point: [x, y + 5], block: [0, 0], streets }, null);
    writeSuburb(context.asgs, frame, outline, regions);
    const shapes = lots.map(({ shape }) => shape);
    const meshBlocks = writeRuralMeshBlocks(
      context.asgs,
      this.regions,
      this.tables,
      frame,
      outline,
      shapes,
      regions,
    );
    this.zones.rural(frame, outline, regions.lga.name);
    this.planning.rural(frame, context.size, regions.lga.name);
    context.national.town(frame, place.towns[town]!.name, place.code);
    context.census.suburb(place, regions, new Map([[meshBlocks[0]!.sa1, lots.length]]));
    const random = seededRandom(context.seed, `rural ${place.code} ${town}`);
    const plan = this.cadastre.nextPlan();
    const market = context.market.rural(place, town);
    const parcels = lots.map((lot, index) => {
      const parcel = this.cadastre.lot(frame, lot, index + 1, plan, locality.name, random);
      // the road and the locality point lie on the first station
      const meshBlock = (col: number) => meshBlocks[col < 0 ? index : 0]!;
      this.address(frame, lot, parcel, locality, null, meshBlock, market, random);
      return parcel;
    });
    this.adjoining(frame, parcels, regions);
  }

  private adjoining(frame: Frame, parcels: readonly Parcel[], { sal }: SuburbRegions): void {
    const pairs = meetings(
      frame,
      parcels.map(({ shape }) => shape),
    );
    const { adjoining, adjoining_suburbs } = this.context.truth.files;
    for (const { a, b, shared_m, corner, borderline } of pairs) {
      adjoining.line(
        `${sal.code},${parcels[a]!.parcel_id},${parcels[b]!.parcel_id},${shared_m.toFixed(3)},${corner},${borderline}`,
      );
    }
    adjoining_suburbs.line(`${sal.code},${sal.name},${parcels.length},${pairs.length}`);
  }
}

/** A point near the middle of a suburb, off the borders between blocks, and the block that holds it. */
function middleOf(land: SuburbLand): Pick<Locality, 'point' | 'block'> {
  const [x, y] = [(land.x0 + land.x1) / 2 + 1, (land.y0 + land.y1) / 2 + 1];
  const { col, row } = land.blocks.find((block) => x < block.x1 && y < block.y1)!;
  return { point: [x, y], block: [col, row] };
}

const ruralRoad = (x: number, y: number): SuburbStreet => ({
  name: 'STATION',
  type: 'ROAD',
  suffix: null,
  point: [x, y],
  block: [0, 0],
  confirmed: true,
});
