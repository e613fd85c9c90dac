import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { editRows, editZip } from '../edit_release.ts';
import { GNAF, keeper, type Night, type Scene, stageOf, takeOut } from './night.ts';

/** Withdraws all addresses but one in ten. */
async function withdrawMost({ dir }: Scene): Promise<void> {
  let n = 0;
  await editZip(join(dir, GNAF), /_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row) => (n++ % 10 === 0 ? row : null)),
  );
}

/** One address with another building name. */
async function renameBuilding({ database, dir }: Scene) {
  let edited = '';
  await editZip(join(dir, GNAF), /VIC_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      const plain =
        row[columns.indexOf('ALIAS_PRINCIPAL')] === 'P' && row[columns.indexOf('CONFIDENCE')] !== '-1';
      if (edited !== '' || row.length < 35 || !plain) return row;
      edited = row[0]!;
      row[columns.indexOf('BUILDING_NAME')] = 'NEW NAME HOUSE';
      return row;
    }),
  );
  return async (report: RunReport) => {
    expect(stageOf(report, 'serve_property_neighbour').rows_written).toBeLessThan(20);
    const changes = await database.query(
      `SELECT change, key, after FROM control.change WHERE table_name = 'property' AND publication_id = $1`,
      [report.publication],
    );
    expect(changes).toMatchObject([
      { change: 'update', key: edited, after: { building_name: 'NEW NAME HOUSE' } },
    ]);
  };
}

/** The point of one address is a tenth of a metre on. */
async function movePoint({ dir }: Scene) {
  await editZip(join(dir, GNAF), /VIC_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) => {
    let isMoved = false;
    return editRows(text, (row, columns) => {
      const at = columns.indexOf('LONGITUDE');
      if (isMoved || !row[at]) return row;
      isMoved = true;
      row[at] = (Number(row[at]) + 1e-6).toFixed(8);
      return row;
    });
  });
  return (report: RunReport) => expect(stageOf(report, 'serve_property_profile').rows_written).toBe(1);
}

const OF_A_POINT = ['profile', 'zoning', 'overlay', 'proximity', 'risk', 'finder'].map(
  (name) => `serve_property_${name}`,
);
const PARAMETERS = ['neighbours.tolerance_m=0.05', 'neighbours.min_shared_m=0.4', 'parcel.nearest_m=1'];
const neighboursOf = ({ database }: Scene) =>
  database.query("SELECT md5(string_agg(n::text, '' ORDER BY n::text)) FROM serving.property_neighbour n");
const configured = keeper('config.yaml');

export const ADDRESS_NIGHTS: readonly Night[] = [
  {
    name: 'changes nothing where nothing changed',
    state: 'unchanged',
    edit: async () => (report) =>
      expect(report.stages.filter((one) => one.partitions_run + one.partitions_removed > 0)).toEqual([]),
  },
  {
    name: 'recomputes one cell for one address of another building name',
    edit: renameBuilding,
    // The finder shows the address line too.
    rows: { property: [0, 1, 0], property_finder: [0, 1, 0] },
    // The neighbours of this address are computed again, and no others; so are the suburbs, and their rows are the same.
    ran: { serve_property: 1, serve_property_neighbour: 1, serve_suburb: 1 },
  },
  {
    name: 'measures one address alone whose point moves, and what is made of it',
    edit: movePoint,
    ran: Object.fromEntries(OF_A_POINT.map((stage) => [stage, 1])),
    byKey: OF_A_POINT,
  },
  {
    name: 'takes out what a dataset gave that is configured no more',
    edit: async (scene) => {
      await configured.keep(scene);
      await takeOut(scene, 'cadastre_qld');
      return ({ datasets }) =>
        expect(datasets.find(({ dataset }) => dataset === 'cadastre_qld')?.action).toBe('removed');
    },
  },
  {
    name: 'has it again when the dataset comes back',
    edit: configured.bringBack,
    undoes: 1,
  },
  {
    name: 'leaves the table of a stage that is skipped as it is, with what reads from it',
    set: PARAMETERS,
    options: { skip: ['serve_property_neighbour'] },
    edit: async (scene) => {
      const before = await neighboursOf(scene);
      return async (report) => {
        expect(stageOf(report, 'serve_property_neighbour')).toBeUndefined();
        expect(report.notes.join()).toMatch(
          /Not computed; .*: serve_property_neighbour, serve_sandbox_sample/,
        );
        expect(await neighboursOf(scene)).toEqual(before);
      };
    },
  },
  {
    name: 'follows a parameter that changed, and makes up for the stage that was skipped',
    set: PARAMETERS,
    ran: { serve_parcel_shape: 0, serve_property_neighbour: 'some' },
    rebuild: true,
  },
  { name: 'follows the parameter back', undoes: 2 },
];

/** Gates that a failed check of the night before must be accepted for. */
const GATES = ['gates.rows_change_max=0.05'];
const failed: string[] = [];
/** What changed is not looked at where its dataset is skipped, or another one alone is named. */
const notLookedAt = (
  name: string,
  options: Night['options'],
  edit: (scene: Scene) => Promise<void> = async () => undefined,
): Night => ({
  name,
  gates: [],
  options,
  state: 'unchanged',
  edit: async (scene) => {
    await edit(scene);
    return (report) => {
      expect(report.datasets.some(({ dataset }) => dataset === 'gnaf')).toBe(false);
      expect(report.notes.join()).toMatch(/Not checked, and in service as last loaded: .*gnaf/);
    };
  },
});

/** Most of the addresses go: after these nights little is left of the country. */
export const LAST_NIGHTS: readonly Night[] = [
  notLookedAt('does not look at a dataset that is skipped', { skip: ['gnaf'] }, withdrawMost),
  notLookedAt('does not look at a dataset where others are named', { only: ['asgs', 'zoning_vic'] }),
  {
    name: 'refuses a publication that loses too many rows',
    gates: GATES,
    state: 'refused',
    edit: async () => (report) => {
      failed.push(...report.audit.filter(({ status }) => status === 'fail').map(({ check }) => check));
      expect(failed).toContain('rows:property');
    },
  },
  {
    name: 'has nothing to compute and refuses again, for the same reason',
    gates: GATES,
    state: 'refused',
    edit: async () => (report) =>
      expect(report.stages.filter((one) => one.partitions_run + one.partitions_removed > 0)).toEqual([]),
  },
  {
    name: 'publishes it when told to',
    gates: GATES,
    accepts: failed,
    edit: async () => (report) =>
      expect(report.audit.find(({ check }) => check === 'rows:property')).toMatchObject({
        status: 'accepted',
      }),
  },
];
