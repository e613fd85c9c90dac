import { EtlError } from '../../schema/errors.ts';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../../schema/records/address.ts';
import { recogniseCrs } from '../../transforms/geo/crs.ts';
import type { Part, Release, SourceAdapter, SourceBatch } from '../adapter.ts';
import { toGda2020ByGrid } from '../formats/vector/datum_grid.ts';
import { loadCodes } from './codes.ts';
import { isCore } from './core.ts';
import { readCore } from './core_part.ts';
import { discoverGnaf } from './discover.ts';
import { readAddressAliases, readAddressParents } from './links.ts';
import {
  type LocalityNames,
  readLocalities,
  readLocalityAliases,
  readLocalityNeighbours,
} from './localities.ts';
import { readMeshBlocks } from './mesh_blocks.ts';
import { readGnafOptions } from './options.ts';
import { StateReader, type StateSource } from './part.ts';
import { readAddresses } from './read_addresses.ts';
import { readStreetAliases, readStreets, type StreetsByPid } from './streets.ts';

const stay = (): void => {};

/** Returns the transformation of a release to GDA2020. A projected CRS is an EtlError `gnaf_datum_unknown`. */
function shiftOf(release: Release): (coords: Float64Array) => void {
  const { applied } = release.crs;
  const crs = recogniseCrs(applied, release.dataset.id);
  if (crs.projected) {
    throw new EtlError(
      'gnaf_datum_unknown',
      `G-NAF: ${applied} is a projection and the tables hold degrees. Set crs of the dataset to EPSG:7844 or EPSG:4283.`,
    );
  }
  return crs.datum === 'GDA2020' ? stay : toGda2020ByGrid(crs, release.dataset.datum_grid);
}

async function* readState(
  release: Release,
  part: Part,
  context: { signal?: AbortSignal },
): AsyncGenerator<SourceBatch> {
  if (isCore(part.source)) {
    yield* readCore(part.source, shiftOf(release), context.signal);
    return;
  }
  const reader = new StateReader(part.source as StateSource, shiftOf(release), context.signal);
  const { codes, tallies } = await loadCodes(reader.source.authority, context.signal);
  reader.keep(tallies);
  const localities: LocalityNames = new Map();
  yield* readLocalities(reader, localities);
  yield* readLocalityAliases(reader, localities);
  yield* readLocalityNeighbours(reader);
  const streets: StreetsByPid = new Map();
  yield* readStreets(reader, codes, streets);
  yield* readStreetAliases(reader, codes, streets);
  const meshBlocks = await readMeshBlocks(reader);
  yield* reader.takeRejects();
  yield* readAddresses(reader, { state: reader.source.state, codes, localities, streets }, meshBlocks);
  yield* readAddressAliases(reader);
  yield* readAddressParents(reader);
  yield* reader.takeRejects();
  yield { accounts: reader.accounts() };
}

/** Reads the pipe-delimited G-NAF release, zipped or not, any subset of states. A part is a state; G-NAF Core is one part. */
export const gnafAdapter: SourceAdapter = {
  name: 'gnaf',
  version: 4,
  placeUnit: 'line',
  title: 'G-NAF, Geocoded National Address File',
  publisher: 'Geoscape Australia',
  licence: 'Open G-NAF EULA',
  attribution:
    'G-NAF © Geoscape Australia, licensed by the Commonwealth of Australia under the Open Geo-coded National Address File (G-NAF) End User Licence Agreement.',
  tables: [
    addressRecord,
    addressAliasRecord,
    addressParentRecord,
    localityRecord,
    localityAliasRecord,
    localityNeighbourRecord,
    streetRecord,
    streetAliasRecord,
  ],
  checkOptions: readGnafOptions,
  discover: discoverGnaf,
  readPart: readState,
};
