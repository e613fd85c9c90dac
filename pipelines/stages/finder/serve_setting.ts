import { searchAreaTable } from '../../../schema/serving/search_area.ts';
import { settingTable } from '../../../schema/serving/setting.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

export const serveSettingStage = stage({
  name: 'serve_setting',
  version: 1,
  doc: 'Rows of serving.setting, if a state is served.',
  subject: 'area',
  inputs: { area: input(searchAreaTable, ['code'], { kind: 'all' }, { level: 'STE' }) },
  output: settingTable,
  params: ({ hazards, overlays }) => ({
    settings: [
      ['hazards.public_housing_share_min', hazards.public_housing_share_min, 'fraction'],
      ['hazards.radius_m', hazards.radius_m, 'metres'],
      ['hazards.on_min_sqm', hazards.on_min_sqm, 'square metres'],
      ['overlays.min_share', overlays.min_share, 'fraction'],
      ['overlays.min_sqm', overlays.min_sqm, 'square metres'],
    ] as const,
  }),
  compute({ area }, { params, emit }) {
    for (const [name, value, unit] of params.settings) emit({ name, value, unit });
    return { account: { in: area.length, out: area.length, drops: {} } };
  },
});
