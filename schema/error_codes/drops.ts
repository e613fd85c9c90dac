const NOTHING = 'Nothing: it is as intended.';

/** Drops by name: why rows are left out, what to do. They are counted, in the account of their file or stage. */
export const DROPS = {
  retired: [
    'A row with a retirement date, an address of confidence -1, or a parcel that is no longer current.',
    'Nothing: retired addresses are kept as records for matching and are not served.',
  ],
  alias: [
    'An alias address: its principal is served.',
    'Nothing: it is kept as a record for matching; explain names its principal.',
  ],
  no_coordinates: [
    'A geocode row without coordinates; the address takes the point of its site where there is one.',
    NOTHING,
  ],
  extra_geocode: [
    'A further default geocode of an address; the latest, then the lowest identifier wins.',
    NOTHING,
  ],
  extra_mesh_block: ['A further mesh block of an address; the latest, then the lowest code wins.', NOTHING],
  extra_point: ['A further point of a locality; the latest, then the lowest identifier wins.', NOTHING],
  no_address: [
    'A geocode or mesh-block row of an address that is not in the release, or was rejected.',
    NOTHING,
  ],
  no_locality: ['A point of a locality that is not in the release, or was rejected.', NOTHING],
  unused: ['A site geocode that no address needs, because its default geocode has coordinates.', NOTHING],
  deleted_in_dbf: ['A feature whose attribute row is marked as deleted.', NOTHING],
  road: ['A parcel that is a road or a casement.', NOTHING],
  water: ['A parcel that is a watercourse.', NOTHING],
  easement: ['An easement over parcels.', NOTHING],
  proposed: ['A parcel that is not registered yet.', NOTHING],
  stacked_strata: ['A strata or volumetric lot above the ground parcel.', NOTHING],
  no_lot_plan: ['A Queensland row without lot on plan, which is no lot.', NOTHING],
  not_gazetted: ['A planning zone that is not in force.', NOTHING],
  no_code_or_name: ['A row of the zone code list without code or name.', NOTHING],
  no_parcel_position: [
    'An address whose point lies on its street or locality: no zone is read there.',
    'Nothing; a release with better geocodes changes it.',
  ],
  no_zone_at_point: [
    'No configured zone covers the address.',
    'Add the zoning of that state, if the properties should have one.',
  ],
  no_parcel: [
    'A property without a parcel has no neighbours.',
    'Add the cadastre of that state, if the properties should have one.',
  ],
  no_adjoining_parcel: ['No other parcel comes within the tolerance of the property’s parcel.', NOTHING],
  no_suburb: [
    'No SAL covers the address, so it counts in no suburb.',
    'Add the SAL boundaries, if the properties should have one.',
  ],
} as const;
