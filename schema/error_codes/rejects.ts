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
  line_too_long: [
    'A line is longer than 1 MiB, which no row of a table is.',
    'Look at the line in the file; a line end is missing, or it is not meant for this table.',
  ],
  too_many_pieces: [
    'A feature, or those of its file together, would be cut into more pieces than any real one: a rectangle over the continent, for example.',
    'Look at the feature; split a real one by region.',
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
  bad_value: [
    'A height, ratio or lot size that is no number with a known unit, or a text longer than any published one.',
    'Look at the message; where the unit is missing for all, map the column in field_map.',
  ],
  no_geometry: ['The shape of a feature is null.', 'Report it to the publisher.'],
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
  bad_json: ['The JSON of one feature cannot be read.', 'Report it to the publisher.'],
  bad_feature: ['The bytes of one feature contradict themselves.', 'Report it to the publisher.'],
  bad_encoding: ['A line or feature has bytes that are not UTF-8 text.', 'Deliver the file in UTF-8.'],
  feature_too_large: [
    'One feature takes more bytes than any published one.',
    'Have the publisher cut the feature into parts.',
  ],
  long_value: [
    'An attribute is longer than a million characters, or a list nested more than 64 deep.',
    'Report it to the publisher.',
  ],
  unsupported_geometry: [
    'A shape is neither points, lines nor polygons: a curve, a surface, a mixed collection.',
    'Have the publisher deliver plain shapes.',
  ],
  wrong_geometry: [
    'A shape is of another family than the layer needs, such as a line among zones.',
    'Check that it is the right layer.',
  ],
  zero_length: ['The lines of a shape have no length.', 'Report it to the publisher.'],
  open_ring: [
    'A way or relation of OpenStreetMap that should be an area does not close.',
    'Correct it in OpenStreetMap.',
  ],
  missing_member: [
    'A way or relation of OpenStreetMap names nodes or ways that the file does not have.',
    'Use a larger extract, or one with complete ways and relations.',
  ],
  bad_trailer: [
    'A file of the NSW sales register is cut, or its closing row counts other rows than it holds. Its sales are kept.',
    'Fetch the file again.',
  ],
  bad_date: ['The date or time of an event cannot be read.', 'Deliver it as YYYY-MM-DD, or set date_order.'],
  future_date: [
    'An event is dated after the day on which its source was observed.',
    'Look at the date: day and month may have changed places.',
  ],
  missing_address: [
    'An event has neither an address nor a gnaf_pid nor a lot on plan.',
    'Deliver one of them.',
  ],
  bad_price: ['A price is negative or above a billion dollars.', 'Look at the row at its source.'],
  bad_rent: [
    'A rent cannot be what a dwelling of its state and bedrooms is let for by the week, or its period is not known.',
    'State the period of the rent, or widen rent_bounds of the dataset.',
  ],
} as const;
