import type { Config, DatasetSettings } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { closedLicence } from '../../schema/licence.ts';
import type { SourceAdapter } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { crsOfNumber } from '../../transforms/geo/crs_table.ts';

export const licenceOf = (adapter: SourceAdapter, settings: DatasetSettings): string =>
  settings.licence ?? adapter.licence;

/** Rejects a dataset whose licence is neither open nor accepted by name. */
export function checkLicence(id: string, adapter: SourceAdapter, settings: DatasetSettings): void {
  const licence = licenceOf(adapter, settings);
  if (settings.accept_licence === licence) return;
  const why = closedLicence(id, { stated: settings.licence, own: adapter.licence });
  if (why !== null) throw new EtlError('licence_not_accepted', why, { details: { dataset: id, licence } });
}

/** Rejects dataset settings that are invalid whatever the files contain. @throws EtlError */
export function checkSettings(id: string, settings: DatasetSettings): void {
  const { adapter, release, crs, options } = settings;
  if (crs !== null && crsOfNumber(Number(crs.replace('EPSG:', ''))) === undefined)
    throw new EtlError(
      'config_invalid',
      `datasets.${id}.crs: ${crs} is not supported. GDA2020 is EPSG:7844 and GDA94 is EPSG:4283; their MGA zones and grids are supported too.`,
      { details: { dataset: id } },
    );
  adapterNamed(adapter).checkOptions({ id, files: [], release, crs, options });
}

/** Rejects datasets with invalid settings or licences before the run starts. @throws EtlError */
export function checkConfigured(config: Config): void {
  for (const [id, settings] of Object.entries(config.datasets)) {
    checkLicence(id, adapterNamed(settings.adapter), settings);
    checkSettings(id, settings);
  }
}
