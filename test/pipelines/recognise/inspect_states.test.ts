import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FileView, viewFiles } from '../../../pipelines/recognise/file_view.ts';
import { recognise } from '../../../pipelines/recognise/recognise.ts';
import { findFiles } from '../../../store/loads/files.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';

const there = hasSharedData('inspect of the deliveries of the states');

const QLD_ZONES = ['zoning QLD qld'];
const SA_ZONES = ['zoning SA sa'];
const SA_OVERLAYS = ['overlays SA sa'];

/** What each file of the deliveries is proposed as: adapter, state, field map, the likeliest first. */
const PROPOSED: Readonly<Record<string, readonly string[]>> = {
  'national/Electricity_Transmission_Lines.csv': ['hazards AU au_hv_power_line'],
  'national/SA2_2021_AUST.xlsx': ['asgs'],
  'nsw/nsw_contaminated_sites_botany.geojson': ['hazards NSW epa_sites'],
  'nsw/nsw_schools_master_2026.csv': ['schools NSW'],
  // a list that was made for these tests, and no delivery
  'nsw/zone_codes_nsw_act.json': [],
  'nt_gtfs/darwin_gtfs_2026-05.zip': ['gtfs NT'],
  'tas_gtfs/tas_gtfs.zip': ['gtfs TAS'],
  'reaxml/i4_AABBCC_2015-02-15_11-03-51.XML': ['reaxml'],
  'reaxml/i4_business_sample.xml': ['reaxml'],
  'reaxml/i4_commercial_sample.xml': ['reaxml'],
  'reaxml/i4_rental_sample.xml': ['reaxml'],
  'tas_cadastre/parcels.geojson': ['cadastre TAS tas'],
  'tas_cadastre/parcels_DERIVED_with_cid.geojson': ['cadastre TAS tas'],
  'wa/DPLH006_state_register_wa.geojson': ['hazards WA wa_heritage'],
  'wa/DPLH071_LPS_zones_murray.geojson': ['zoning WA wa'],
  'sa_overlays/HazardsBushfireGeneralRisk_5.geojson': ['hazards SA sa_bushfire', 'overlays SA sa'],
};
/** Folders whose other files are all one thing. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  qld_zones: QLD_ZONES,
  sa_zones: SA_ZONES,
  sa_overlays: SA_OVERLAYS,
};

const told = (view: FileView): string[] =>
  view.proposals.map(({ adapter, options: { state, field_map } }) =>
    [adapter, state, field_map].filter((text) => text !== undefined).join(' '),
  );

const files = there
  ? readdirSync(sharedPath('states'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => `${entry.parentPath.split('/').at(-1)}/${entry.name}`)
      .sort()
  : [];

describe.skipIf(!there)('inspect of what the states deliver', () => {
  it.each(files)('%s: adapter, state and map', async (file) => {
    const views = await viewFiles([sharedPath(`states/${file}`)]);
    const wanted = PROPOSED[file] ?? FOLDERS[file.split('/')[0]!];
    expect(views.map(told)).toEqual([wanted]);
    const isOpen = JSON.stringify(views[0]!.proposals).includes('…');
    // a feed of several modes does not say which stop is of which
    expect(isOpen).toBe(file === 'tas_gtfs/tas_gtfs.zip');
  });

  it('a folder: every file in it', async () => {
    const views = await viewFiles(await findFiles(sharedPath('states/sa_zones'), process.cwd()));
    expect(views.map(told)).toEqual([SA_ZONES, SA_ZONES, SA_ZONES, SA_ZONES]);
  });

  it('names the problem of an unreadable file, and a remedy', async () => {
    const problem = async (file: string) => (await viewFiles([sharedPath(`states/${file}`)]))[0]!.problem;
    expect(await problem('national/Electricity_Transmission_Lines.csv')).toMatch(/no coordinates/);
    expect(await problem('national/SA2_2021_AUST.xlsx')).toMatch(/configure MB_2021_AUST\.xlsx/);
    expect(await problem('nsw/zone_codes_nsw_act.json')).toMatch(/no list of features/);
    expect(await problem('tas_gtfs/tas_gtfs.zip')).toMatch(/folders: \{"tas": bus\}/);
    expect(await problem('wa/DPLH071_LPS_zones_murray.geojson')).toBeNull();
  });

  it('all of them are datasets that read, but those that say why not', async () => {
    const { datasets, unrecognised } = await recognise(sharedPath('states'), (file) => file === 'README.md');
    expect(unrecognised.map(({ file }) => file)).toEqual([
      'national/Electricity_Transmission_Lines.csv',
      'national/SA2_2021_AUST.xlsx',
      'nsw/zone_codes_nsw_act.json',
      'tas_gtfs/tas_gtfs.zip',
    ]);
    const schools = datasets.find(({ adapter }) => adapter === 'schools');
    expect(schools).toMatchObject({ options: { state: 'NSW' }, path: ['nsw/nsw_schools_master_2026.csv'] });
    // One delivery of the Tasmanian cadastre is there twice, once with columns added.
    expect(datasets.filter(({ question }) => question === null)).toHaveLength(11);
  });

  it('leaves the mode of a feed open if the feed does not state it', async () => {
    const [tas] = await viewFiles([sharedPath('states/tas_gtfs/tas_gtfs.zip')]);
    expect(tas!.proposals).toEqual([{ adapter: 'gtfs', options: { state: 'TAS', folders: { tas: '…' } } }]);
  });
});
