/** Rejects by code: what is wrong with the row, and what to do. Rejected rows are in control.reject with file and location. */
export const REJECTS = {
  short_row: [
    'A line has fewer fields than the header.',
    'Look at the line; a broken quote or line end is the usual cause.',
  ],
  long_row: [
    'A line has more fields than the header.',
    'Look at the line; a delimiter inside a value is likely.',
  ],
  stray_quote: [
    'A quote opens a field of the line that does not end with a quote and a delimiter. The lines after it are read.',
    'Double the quotes inside the field, and close it.',
  ],
  line_too_long: [
    'A line is longer than 1 MiB, the limit for a row.',
    'Look at the line in the file; a line end is missing, or the line does not belong to this table.',
  ],
  too_many_pieces: [
    'A feature, or all features of its file together, would be cut into more pieces than the limit, for example a rectangle over the continent.',
    'Look at the feature; if it is real, split it by region.',
  ],
  missing_key: ['The identifier of a feature is blank.', 'Report it to the publisher.'],
  missing_value: ['A field that every row must have is empty.', 'Report it to the publisher.'],
  bad_number: ['A field that must be a whole number is not one.', 'Report it to the publisher.'],
  bad_code: [
    'A code is outside its list, such as ALIAS_PRINCIPAL other than P or A.',
    'Report it to the publisher.',
  ],
  unknown_location_group: [
    'A stop time names a location group that has no stops in location_group_stops.txt.',
    'Report it to the publisher; its stops are not served.',
  ],
  bad_mesh_block: ['A mesh block code is not eleven digits.', 'Report it to the publisher.'],
  bad_coordinate: [
    'A coordinate is not a finite number. An address keeps its row, without a point.',
    'Report it to the publisher.',
  ],
  outside_australia: [
    'A coordinate lies outside Australia and its territories. An address keeps its row, without a point.',
    'If every row is rejected, the CRS of the dataset is wrong: set crs.',
  ],
  unknown_locality: [
    'An address or street names a locality that is not in the release.',
    'Check that all tables come from one release.',
  ],
  unknown_street: [
    'An address names a street that is rejected or not in the release.',
    'Check that all tables come from one release.',
  ],
  unknown_mesh_block: [
    'A link names a mesh block that is not in the release. The address keeps its row, without a mesh block.',
    'Check that all tables come from one release.',
  ],
  duplicate_key: [
    'A row repeats the key of an earlier one; the first row of the file is kept.',
    'Report it to the publisher; if there are many, two releases were mixed.',
  ],
  bad_value: [
    'A height, ratio or lot size is not a number with a known unit, or a text is longer than the limit.',
    'Look at the message; if the unit is missing in every row, map the column in field_map.',
  ],
  no_geometry: ['The shape of a feature is null.', 'Report it to the publisher.'],
  bad_shape: ['The bytes of one shape contradict themselves.', 'Report it to the publisher.'],
  zero_area: ['The rings of a shape enclose no area.', 'Report it to the publisher.'],
  self_intersection: [
    'The rings of a shape cross each other and could not be split into simple ones.',
    'Report it to the publisher.',
  ],
  too_many_vertices: ['A shape has more vertices than the limit.', 'Ask the publisher to split the feature.'],
  bad_json: ['The JSON of one feature cannot be read.', 'Report it to the publisher.'],
  bad_feature: ['The bytes of one feature contradict themselves.', 'Report it to the publisher.'],
  bad_encoding: ['A line or feature has bytes that are not UTF-8 text.', 'Deliver the file in UTF-8.'],
  feature_too_large: ['One feature is larger than the limit.', 'Ask the publisher to split the feature.'],
  long_value: [
    'An attribute is longer than a million characters, or a list is nested more than 64 levels deep.',
    'Report it to the publisher.',
  ],
  unsupported_geometry: [
    'A shape is neither points, lines nor polygons: a curve, a surface, a mixed collection.',
    'Ask the publisher for points, lines or polygons.',
  ],
  wrong_geometry: [
    'A shape has the wrong geometry type for the layer, such as a line among zones.',
    'Check that it is the right layer.',
  ],
  zero_length: ['The lines of a shape have zero length.', 'Report it to the publisher.'],
  parts_not_united: [
    'The pieces of a lot overlap and cannot be united, so its area is unknown.',
    'Report it to the publisher, or set unite_lots to false.',
  ],
  open_ring: [
    'A way or relation of OpenStreetMap that should be an area is not closed.',
    'Correct it in OpenStreetMap.',
  ],
  missing_member: [
    'A way or relation of OpenStreetMap refers to nodes or ways that are not in the file.',
    'Use a larger extract, or one with complete ways and relations.',
  ],
  bad_trailer: [
    'A file of the NSW sales register is cut off, or the counts in its closing row do not match its rows. Its sales are kept.',
    'Fetch the file again.',
  ],
  bad_date: [
    'The date or time of an event cannot be read.',
    'Deliver it as YYYY-MM-DD, or set date_order or two_digit_years_from.',
  ],
  future_date: [
    'An event is dated after the day on which its source was observed.',
    'Look at the date: day and month may be swapped.',
  ],
  missing_address: ['An event has no address, gnaf_pid or lot on plan.', 'Deliver one of them.'],
  bad_price: ['A price is negative or above a billion dollars.', 'Look at the row at its source.'],
  bad_rent: [
    'A rent is outside the weekly bounds for its state and number of bedrooms, or its period is unknown.',
    'State the period of the rent, or widen rent_bounds of the dataset.',
  ],
} as const;
