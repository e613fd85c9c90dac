import { basename } from 'node:path';
import { placePieceRecord } from '../../../schema/records/place.ts';
import type { DatasetConfig, Part, ReadContext, Release, SourceAdapter, SourceBatch } from '../../adapter.ts';
import type { BytePlace } from '../../formats/archive/byte_stream.ts';
import { listZip } from '../../formats/archive/zip.ts';
import { noFile, releaseOf } from '../../release/file_release.ts';
import { RowBatches } from '../../release/row_batches.ts';
import { withCoverage } from '../../release/with_coverage.ts';
import { RowTally } from '../../tally.ts';
import { bytesOfRow, type Place, placeRows } from '../place_rows.ts';
import { readGeoJsonObjects } from './geojson_objects.ts';
import { withoutRepeats } from './mapped_twice.ts';
import { readOsmOptions, type TagChoice } from './options.ts';
import { NOT_A_PLACE, OsmPlaces } from './osm_places.ts';
import { PbfObjects } from './pbf/pbf_objects.ts';
import { TagRules } from './tag_rules.ts';

const PBF = /\.osm\.pbf$|\.pbf$/i;
const GEOJSON = /\.(geojson|json|ndjson|geojsonl|geojsonseq)(\.gz)?$/i;
const STEM = /(\.osm)?\.(pbf|geojson|json|ndjson|geojsonl|geojsonseq)(\.gz)?$/i;

/** Input for reading one file; survives structured cloning. */
interface OsmPart {
  readonly format: 'pbf' | 'geojson';
  readonly bytePlace: BytePlace;
  readonly tags: TagChoice;
  /** Prefix of the numbers of objects without an identifier. */
  readonly unnamed: string;
}

/** Reads supermarkets, green spaces, restaurants, beaches and stations of OpenStreetMap; a part is a file. */
export const osmAdapter: SourceAdapter = withCoverage('amenity', {
  name: 'osm',
  version: 8,
  placeUnit: 'feature',
  title: 'OpenStreetMap places',
  publisher: 'OpenStreetMap contributors',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors, available under the Open Database Licence.',
  tables: [placePieceRecord],
  checkOptions: readOsmOptions,
  discover,
  readPart: readPart,
});

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const tags = readOsmOptions(dataset);
  const places = (await Promise.all(dataset.files.map(({ path }) => placesIn(path)))).flat();
  if (places.length === 0) throw noFile(dataset, 'an .osm.pbf or a .geojson');
  const parts: Part[] = [];
  for (const location of places) {
    const format = PBF.test(location.member ?? location.path) ? 'pbf' : 'geojson';
    if (format === 'pbf') await checkPbf(location, tags);
    else await checkGeoJson(location);
    const stem = basename(location.member ?? location.path).replace(STEM, '');
    const id = parts.some((part) => part.id === stem) ? location.file : stem;
    const source: OsmPart = { format, bytePlace: location, tags, unnamed: `${dataset.id}/${id}/` };
    parts.push({ id, source });
  }
  const crs = { applied: 'EPSG:4326', stated: 'EPSG:4326', overridden: false };
  const notes = ['OpenStreetMap coordinates are WGS84 and are read as GDA2020.'];
  return { release: releaseOf(dataset, { crs, notes }), parts };
}

async function placesIn(path: string): Promise<BytePlace[]> {
  const name = basename(path);
  if (PBF.test(path) || GEOJSON.test(path)) return [{ path, member: null, file: name }];
  if (!/\.zip$/i.test(path)) return [];
  const members = await listZip(path, (each) => GEOJSON.test(each));
  return members.map((member) => ({ path, member: member.name, file: `${name} › ${member.name}` }));
}

async function checkPbf(location: BytePlace, tags: TagChoice): Promise<void> {
  const pbf = await PbfObjects.open(location.path, location.file, new TagRules(tags));
  try {
    await pbf.check();
  } finally {
    await pbf.close();
  }
}

/** Reads up to the first features, to check the file. */
async function checkGeoJson(location: BytePlace): Promise<void> {
  for await (const batch of readGeoJsonObjects(location)) if (batch.length > 0) return;
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const source = part.source as OsmPart;
  const rules = new TagRules(source.tags);
  const tally = new RowTally(source.bytePlace.file, placePieceRecord.name, 'feature');
  const places = new OsmPlaces(rules, tally, source.unnamed);
  const pieces = new RowBatches(placePieceRecord, tally);
  const rowsOf = (placeRow: Place) => pieces.addAll(placeRows(placeRow), bytesOfRow);
  // repeats of a building can be found only after all have been read
  const supermarkets: Place[] = [];
  for await (const batch of placesOf(source, rules, tally, places, signal)) {
    for (const record of batch) {
      if (record.category === 'supermarket') supermarkets.push(record);
      else yield* rowsOf(record);
    }
    if (pieces.full) yield pieces.rest();
  }
  const { kept, repeats } = withoutRepeats(supermarkets);
  for (const keptPlace of kept) yield* rowsOf(keptPlace);
  for (const { is_only } of repeats) {
    // an object that is also another kind of place stays a record
    if (!is_only) continue;
    tally.records--;
    tally.drop('mapped_twice');
  }
  yield { ...pieces.rest(), accounts: tally.accounts() };
}

/** Yields the places of a file in batches, and counts the outcome of every object. */
async function* placesOf(
  { format, bytePlace: place }: OsmPart,
  rules: TagRules,
  tally: RowTally,
  places: OsmPlaces,
  signal: AbortSignal | undefined,
): AsyncGenerator<Place[]> {
  if (format === 'geojson') {
    for await (const batch of readGeoJsonObjects(place, signal)) {
      yield batch.flatMap((object) => {
        tally.rows_in++;
        if (!('code' in object)) return places.take(object);
        tally.reject(object.no, object.code, object.message);
        return [];
      });
    }
    return;
  }
  const pbf = await PbfObjects.open(place.path, place.file, rules);
  try {
    let seenCount = 0;
    for await (const batch of pbf.objects(signal)) {
      seenCount += batch.length;
      yield batch.flatMap((object) => places.take(object));
    }
    tally.rows_in = pbf.count;
    tally.drop(NOT_A_PLACE, pbf.count - seenCount);
  } finally {
    await pbf.close();
  }
}
