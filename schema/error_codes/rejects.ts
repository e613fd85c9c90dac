/** Rejects by code: what is wrong with the row, what to do. Rejected rows are in control.reject with file and place. */
export const REJECTS = {
  short_row: [
    'A line has fewer fields than the header.',
    'Look at the line; a broken quote or line end is the usual cause.',
  ],
  long_row: [
    'A line has more fields than the header.',
    'Look at the line; a delimiter inside a value is likely.',
  ],
  missing_key: ['The identifier of a feature is blank.', 'Report it to the publisher.'],
  missing_value: ['A field that every row must have is empty.', 'Report it to the publisher.'],
  bad_number: ['A field that must be a whole number is none.', 'Report it to the publisher.'],
  bad_code: [
    'A code is outside its list, such as ALIAS_PRINCIPAL other than P or A.',
    'Report it to the publisher.',
  ],
  bad_mesh_block: ['A mesh block code is not eleven digits.', 'Report it to the publisher.'],
  bad_coordinate: [
    'A coordinate is not a finite number. An address keeps its row, without a point.',
    'Report it to the publisher.',
  ],
  outside_australia: [
    'A coordinate lies outside Australia and its territories. An address keeps its row, without a point.',
    'If it is every row, the CRS of the dataset is wrong: set crs.',
  ],
  unknown_locality: [
    'An address or street names a locality that the release does not have.',
    'Check that all tables are of one release.',
  ],
  unknown_street: [
    'An address names a street that the release does not have, or that is itself rejected.',
    'Check that all tables are of one release.',
  ],
  unknown_mesh_block: [
    'A link names a mesh block that the release does not have. The address keeps its row, without a mesh block.',
    'Check that all tables are of one release.',
  ],
  duplicate_key: [
    'A row repeats the key of an earlier one; the first row of the file is kept.',
    'Report it to the publisher; many of them mean that two releases were mixed.',
  ],
  no_geometry: ['The shape of a parcel or zone is null.', 'Report it to the publisher.'],
  bad_shape: ['The bytes of one shape contradict themselves.', 'Report it to the publisher.'],
  zero_area: ['The rings of a shape enclose no area.', 'Report it to the publisher.'],
  self_intersection: [
    'The rings of a shape cross each other and could not be split into simple ones.',
    'Report it to the publisher.',
  ],
  too_many_vertices: [
    'A shape has more vertices than any published one.',
    'Have the publisher cut the feature into parts.',
  ],
} as const;
