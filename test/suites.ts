/**
 * Test files that `npm run test:full` alone runs. Every other one is of `npm test`: these compute in memory, read small files or ask a
 * database that is nearly empty, and test/end_to_end.test.ts goes the way from a delivery to the service and the console.
 */
export const FULL_SUITE: readonly string[] = [
  // Attacks: processes are frozen, and files of every format are damaged and refreshed from.
  'test/attack/*.test.ts',
  'test/sources/formats/{hostile_sizes,table/parquet,vector/geodatabase}.test.ts',
  // Jobs: workers, queues and machines that are lost.
  'test/jobs/!(backend_lost|refresh_job).test.ts',
  // Poolers, plain owners, standbys and queues as people have them.
  'test/operations/*.test.ts',
  // Commands as processes of their own, from their launcher and from a package.
  'test/loader/bundle.test.ts',
  'test/tools/scripts/setup.test.ts',
  'test/cli/{db,exit_code,fetch,frozen,init,init_deliveries,init_yarra,output_paths,package,print,readme}.test.ts',
  // The service and the console over sockets, before a browser and beside publications.
  'test/service/!(openapi).test.ts',
  'test/ops/{changes,console,console_pages,frozen_database,late,operate,property_report,server,suburb,tables}.test.ts',
  'test/ops/map/{past_views,valuation_measure}.test.ts',
  // Embedded servers that are started, killed, and processes that fall silent.
  'test/store/embedded/{account,crash,server}.test.ts',
  'test/cli/doctor_database.test.ts',
  'test/store/state/presence.test.ts',
  // Downloads whose server is slow, stalls or lies.
  'test/pipelines/fetch/faults.test.ts',
  // Nights, faults, races and increments against a rebuild.
  'test/pipelines/{nights,run}/*.test.ts',
  'test/pipelines/stages/{parcels/neighbours_anywhere,hazards/parcels_elsewhere,planning/planning_elsewhere}.test.ts',
  'test/pipelines/{models,rehearsal,simulate}.test.ts',
  'test/pipelines/publish/independent.test.ts',
  'test/pipelines/publish/publications_under_readers.test.ts',
  'test/pipelines/publish/repeated_keys.test.ts',
  // Whole countries against what is known of them.
  'test/pipelines/{market,market_truth,sample_truth,sample_truth_spatial,yarra}.test.ts',
  'test/pipelines/whole_country_*.test.ts',
  'test/pipelines/match/matching.test.ts',
  'test/transforms/address/melbourne_match.test.ts',
  // A country that is published, and what is read, reported and told of it.
  'test/cli/{brief,candidate,explain,export_readers,suggest_regions,outside_readers}.test.ts',
  'test/contract/{agreement,changes,comparison,consistency,endpoints,for_sale_nearby,regions,searches,street,successor,valuation_history}.test.ts',
  'test/contract/geocode/*.test.ts',
  'test/contract/finder/*_finder.test.ts',
  'test/pipelines/ingest/{bad_input,failed_rejects,legal_ids,one_bad_row,overlapping_files,registers,rejected_ground}.test.ts',
  'test/pipelines/{explain/causes,recognise/inspect_sample,views/inspect,views/journal_view}.test.ts',
  'test/pipelines/{models_waiting,notify/webhook}.test.ts',
  'test/pipelines/export/{partitioned_export,query_examples,s3_folder}.test.ts',
  'test/pipelines/checks/{offset_notes,postgis_notes}.test.ts',
  // Properties of models and shapes that show in many random cases, and real files.
  'test/pipelines/evaluate/evaluate.test.ts',
  'test/transforms/avm/{leaks,promote}.test.ts',
  'test/transforms/geo/ogc_validity.test.ts',
  'test/transforms/layers/{nearest,nearest_to_both,seams}.test.ts',
  'test/sources/hazards/yarra.test.ts',
];

/** The files that take longest, which begin before the others. */
export const LONGEST: readonly string[] = [
  'test/pipelines/nights/nights.test.ts',
  'test/jobs/distribute.test.ts',
  'test/ops/console.test.ts',
  'test/pipelines/whole_country_runs.test.ts',
  'test/pipelines/rehearsal.test.ts',
];
