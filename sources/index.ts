import { EtlError } from '../schema/errors.ts';
import type { SourceAdapter } from './adapter.ts';
import { asgsAdapter } from './asgs/adapter.ts';
import { cadastreAdapter } from './cadastre/adapter.ts';
import { censusAdapter } from './census/adapter.ts';
import { gnafAdapter } from './gnaf/adapter.ts';
import { hazardsAdapter } from './hazards/adapter.ts';
import { listingsAdapter } from './listings/adapter.ts';
import { nswPsiAdapter } from './nsw_psi/adapter.ts';
import { overlaysAdapter } from './overlays/adapter.ts';
import { osmAdapter } from './places/osm/adapter.ts';
import { overtureAdapter } from './places/overture/adapter.ts';
import { placesCsvAdapter } from './places/places_csv/adapter.ts';
import { reaxmlAdapter } from './reaxml/adapter.ts';
import { salesCsvAdapter } from './sales_csv/adapter.ts';
import { schoolMeasuresAdapter } from './school_measures/adapter.ts';
import { schoolsAdapter } from './schools/adapter.ts';
import { seifaAdapter } from './seifa/adapter.ts';
import { gtfsAdapter } from './transport/gtfs/adapter.ts';
import { stopsAdapter } from './transport/stops/adapter.ts';
import { zoningAdapter } from './zoning/adapter.ts';

/** Every source adapter; the configuration selects one by its name. */
export const ADAPTERS: readonly SourceAdapter[] = [
  gnafAdapter,
  asgsAdapter,
  cadastreAdapter,
  zoningAdapter,
  overlaysAdapter,
  hazardsAdapter,
  schoolsAdapter,
  schoolMeasuresAdapter,
  censusAdapter,
  seifaAdapter,
  gtfsAdapter,
  stopsAdapter,
  osmAdapter,
  overtureAdapter,
  placesCsvAdapter,
  listingsAdapter,
  reaxmlAdapter,
  nswPsiAdapter,
  salesCsvAdapter,
];

/** Returns the adapter that a configuration names; the error for an unknown name lists the existing ones. */
export function adapterNamed(name: string): SourceAdapter {
  const namedAdapter = ADAPTERS.find((adapter) => adapter.name === name);
  if (namedAdapter) return namedAdapter;
  throw new EtlError(
    'unknown_adapter',
    `Unknown adapter "${name}". Adapters: ${ADAPTERS.map((a) => a.name).join(', ')}.`,
  );
}
