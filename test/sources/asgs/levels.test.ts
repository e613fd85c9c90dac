import { expect, it } from 'vitest';
import { recogniseRegionFile } from '../../../sources/asgs/levels.ts';

const fieldsOf = (names: string) => names.split(' ').map((name, key) => ({ name, numeric: false, key }));

it.each([
  [
    'SA1_CODE_2021 SA2_CODE_2021 SA2_NAME_2021 GCCSA_CODE_2021 STATE_CODE_2021 AREA_ALBERS_SQKM',
    'SA1',
    2021,
    3,
  ],
  ['LGA_CODE_2024 LGA_NAME_2024 STATE_CODE_2021', 'LGA', 2024, 3],
  ['sa2_code21 sa2_name21 ste_code21', 'SA2', 2021, 3],
  ['SAL_CODE26 SAL_NAME26 STE_CODE26 AUS_CODE26', 'SAL', 2026, 4],
  ['gcc_21code gcc_21name ste_21code', 'GCCSA', 2021, 3],
])('%s', (names, level, year, edition) => {
  expect(recogniseRegionFile(fieldsOf(names), 'x.shp')).toMatchObject({ level, year, edition });
});

it('finds the columns of the parents and of the area', () => {
  const fields = fieldsOf(
    'SA1_CODE_2021 SA2_CODE_2021 SA2_NAME_2021 GCCSA_CODE_2021 STATE_CODE_2021 AREA_ALBERS_SQKM',
  );
  const { columns } = recogniseRegionFile(fields, 'x.shp');
  const names = Object.fromEntries(Object.entries(columns).map(([key, field]) => [key, field?.name ?? null]));
  expect(names).toMatchObject({
    code: 'SA1_CODE_2021',
    name: null,
    sa1: 'SA1_CODE_2021',
    sa2_name: 'SA2_NAME_2021',
    gccsa: 'GCCSA_CODE_2021',
    ste: 'STATE_CODE_2021',
    area_sqkm: 'AREA_ALBERS_SQKM',
    mb_category: null,
  });
});
