import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DelimitedWriter } from './formats/delimited_writer.ts';

/** Columns of truth/properties.csv: what is true of every address that G-NAF lists, live or not. */
const PROPERTY =
  'gnaf_pid,state,alias_principal,is_live,building_name,lot_number,flat_type,flat_number,level_type,level_number,number_first,number_last,street_name,street_type,street_suffix,locality_name,postcode,primary_secondary,primary_pid,principal_pid,geocode_type,geocode_level,lon,lat,legal_parcel_id,parcel_id,parcel_method,parcel_area_sqm,zone_code,mesh_block,sa1,sa2,sal,lga,poa';

const FILES = {
  properties: PROPERTY,
  adjoining: 'sal,parcel_a,parcel_b,shared_m,corner,borderline',
  adjoining_suburbs: 'sal,sal_name,parcels,pairs',
  mesh_block_disagreements: 'gnaf_pid,mesh_block_in_gnaf,mesh_block_at_point',
  bad_rows: 'file,at,code,what',
  repairs: 'file,at,repaired',
  planning_datasets: 'dataset,file,features,other_features',
  planning_parcels: 'theme,layer,value,parcel_id',
  schools:
    'school_id,head_id,name,level,sector,is_special,state,suburb,postcode,sa1,lon,lat,icsea,enrolments,attendance_rate,naplan_mean',
  census:
    'level,code,population,rented_from_state,rented_from_community,tenure_total,tenure_not_stated,median_age',
  seifa: 'level,code,irsad_percentile',
  stops: 'stop_id,mode,label,lon,lat',
  places: 'place_id,category,name,shape,lon,lat',
  deliveries: 'delivery,file,row,fate,what',
  market_events: 'event_key,gnaf_pid,channel,price,form,property_type,bedrooms,bathrooms,parking,features',
} as const;

/**
 * Streams the known truth beside the sample. No value holds a comma or a quote. Empty: none, or unknown to the sources.
 * properties: `parcel_id` is where the address lies in the made-up world; `parcel_method` is how the sources lead there:
 * `legal_id` by LEGAL_PARCEL_ID, `point_in_parcel`, `nearest` (the point lies 2 m before its frontage), `none` (no usable
 * id and no point on the property). `zone_code` is the zone of the parcel. `mesh_block` to `poa` are those of the point,
 * or where there is none of the parcel.
 * bad_rows: rows that must become rejects, by line (the header is line 1) or feature number (from 1); repairs: parcels whose
 * rings must be repaired. rejects, drops and rows hold the counts by file, rows without the header.
 * planning_datasets: features that a dataset of hazards or overlays takes of its file, and those that it must leave out.
 * planning_parcels: parcels that a feature of a theme covers wholly; no other parcel meets one of that theme, layer and value.
 * schools: every open campus with the figures of its latest year; census: a row for each region, median_age 0 where it has none;
 * seifa: the IRSAD percentile in Australia, empty where the region is excluded.
 * stops: every stop that counts, by the id that the datasets of config.yaml give it; places: every place that counts, lon and lat of
 * points only.
 * deliveries: what becomes of each row of the files below deliveries/: `is` a record (a zone as code|name|category, a parcel as its lot on plan),
 * `drop` or `reject` under a name, or `nothing` of its own, as a trip.
 * market_events: every event by the key of its record, what it is of, and its price as told (of rent by the week; empty: none told);
 * `form` is how the address is written: plain, abbreviated, typo, or no_number, which cannot be matched.
 * adjoining: all pairs of parcels that meet, of the suburbs listed in adjoining_suburbs; `corner` where they share less
 * than 0.5 m, and `borderline` from 0.15 to 1 m, where a tolerance decides. Gaps and overlaps up to 5 cm count as meeting.
 */
export class Truth {
  readonly files: Readonly<Record<keyof typeof FILES, DelimitedWriter>>;
  private readonly folder: string;
  private readonly rejects = new Map<string, number>();
  private readonly drops = new Map<string, number>();
  private readonly rows = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.files = Object.fromEntries(
      Object.entries(FILES).map(([name, header]) => [
        name,
        new DelimitedWriter(join(folder, `${name}.csv`), header, '\n'),
      ]),
    ) as Record<keyof typeof FILES, DelimitedWriter>;
  }

  /** A row that must become a reject; `at` is its line or feature number. */
  reject(file: string, at: number, code: string, what: string): void {
    this.files.bad_rows.line(`${file},${at},${code},${what}`);
    add(this.rejects, `${file},${code}`, 1);
  }

  /** Rows that must be left out by name. */
  drop(file: string, name: string, rows = 1): void {
    add(this.drops, `${file},${name}`, rows);
  }

  /** Rows of a physical file, without its header. */
  count(file: string, rows: number): void {
    add(this.rows, file, rows);
  }

  close(): void {
    for (const file of Object.values(this.files)) file.close();
    this.table('rejects', 'file,code,rows', this.rejects);
    this.table('drops', 'file,name,rows', this.drops);
    this.table('rows', 'file,rows', this.rows);
  }

  private table(name: string, header: string, counts: ReadonlyMap<string, number>): void {
    const writer = new DelimitedWriter(join(this.folder, `${name}.csv`), header, '\n');
    for (const key of [...counts.keys()].sort()) writer.line(`${key},${counts.get(key)}`);
    writer.close();
  }
}

function add(counts: Map<string, number>, key: string, rows: number): void {
  counts.set(key, (counts.get(key) ?? 0) + rows);
}
