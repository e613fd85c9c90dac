import { cellOf, NO_CELL } from '../../schema/grid.ts';
import { append } from '../../schema/group_by.ts';
import type { schoolRecord } from '../../schema/records/school.ts';
import type { Row } from '../../schema/table.ts';
import type { SchoolFile } from './school_file.ts';
import type { SchoolRow } from './school_row.ts';
import { isCentre } from './vocabulary.ts';

type SchoolRecord = { -readonly [K in keyof Row<typeof schoolRecord>]: Row<typeof schoolRecord>[K] };

/** Fields of the record that a file without coordinates fills if they are not stated. */
const ADDED = [
  'level',
  'sector',
  'year_range',
  'state',
  'suburb',
  'postcode',
  'sa1',
  'icsea',
  'enrolments',
] as const;

/**
 * Merges the records of all files of a dataset by identifier: files with coordinates first, then the order of configuration. The first file
 * decides. In a later file with coordinates the school is a drop `duplicate_school`; a file without coordinates only fills missing values.
 * A school that a profile lists without type and enrolments is closed; a centre that classes visit is special. Missing figures of a head
 * are derived from its campuses.
 */
export function mergeSchools(files: readonly SchoolFile[]): { records: SchoolRecord[]; notes: string[] } {
  const records = new Map<number, SchoolRecord>();
  const closed = new Set(
    files.flatMap(({ rows }) => rows.filter((row) => row.is_closed).map(({ school_id }) => school_id)),
  );
  for (const file of [...files].sort((a, b) => Number(b.hasCoordinates) - Number(a.hasCoordinates))) {
    for (const row of file.rows) {
      const existing = records.get(row.school_id);
      if (closed.has(row.school_id)) file.tally.drop('closed_school');
      else if (existing === undefined) {
        records.set(row.school_id, recordOf(row));
        file.tally.records++;
      } else if (file.hasCoordinates) file.tally.drop('duplicate_school');
      else {
        addTo(existing, row);
        file.tally.merged++;
      }
    }
  }
  const sorted = [...records.values()].sort((a, b) => a.school_id - b.school_id);
  const strangers = settleHeads(sorted, records);
  rollFigures(sorted, records);
  // If no school states enrolments, a centre cannot be distinguished from a school.
  if (sorted.some(({ enrolments }) => enrolments !== null))
    for (const school of sorted)
      if ((school.enrolments ?? 0) === 0 && isCentre(school.name)) school.is_special = true;
  const notes =
    strangers === 0
      ? []
      : [`${strangers} campuses name a head that is not among the schools: each stands as its own head.`];
  return { records: sorted, notes };
}

function recordOf(row: SchoolRow): SchoolRecord {
  const { head_id, year: _year, is_closed: _isClosed, lon, lat, ...stated } = row;
  const cell = lon === null || lat === null ? NO_CELL : cellOf(lon, lat);
  return { load_id: 0, cell, ...stated, head_id: head_id ?? row.school_id, lon, lat };
}

function addTo(record: SchoolRecord, row: SchoolRow): void {
  for (const field of ADDED) if (record[field] === null) Object.assign(record, { [field]: row[field] });
  if (row.is_special) record.is_special = true;
  if (record.head_id === record.school_id && row.head_id !== null) record.head_id = row.head_id;
}

/** Makes campuses with an unknown head their own heads; returns how many. */
function settleHeads(schools: readonly SchoolRecord[], byId: ReadonlyMap<number, SchoolRecord>): number {
  let strangers = 0;
  for (const school of schools) {
    const head = byId.get(school.head_id);
    if (head === undefined) {
      school.head_id = school.school_id;
      strangers++;
    }
  }
  return strangers;
}

/**
 * Fills missing figures of a head: its enrolments are the sum over its campuses; its ICSEA is the value of the campus with the most
 * students. Ties: the lowest identifier. Campuses keep their figures.
 */
function rollFigures(schools: readonly SchoolRecord[], byId: ReadonlyMap<number, SchoolRecord>): void {
  const campuses = new Map<SchoolRecord, SchoolRecord[]>();
  for (const school of schools) {
    const head = byId.get(school.head_id)!;
    if (head !== school) append(campuses, head, school);
  }
  for (const [head, parts] of campuses) {
    const withEnrolments = parts.filter(({ enrolments }) => enrolments !== null);
    if (head.enrolments === null && withEnrolments.length > 0)
      head.enrolments = withEnrolments.reduce((sum, { enrolments }) => sum + enrolments!, 0);
    const largest = parts
      .filter(({ icsea }) => icsea !== null)
      .sort((a, b) => (b.enrolments ?? 0) - (a.enrolments ?? 0) || a.school_id - b.school_id)[0];
    head.icsea ??= largest?.icsea ?? null;
  }
}
