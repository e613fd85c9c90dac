import type { Kysely } from 'kysely';
import type { propertyTable } from '../serving/property.ts';
import type { propertyNeighbourTable } from '../serving/property_neighbour.ts';
import type { propertyProfileTable } from '../serving/property_profile.ts';
import type { propertyZoningTable } from '../serving/property_zoning.ts';
import type { suburbTable } from '../serving/suburb.ts';
import type { Row } from '../table.ts';

/** The serving tables as Kysely sees them; the row types come from the declarations. */
export interface ServingDatabase {
  'serving.property': Row<typeof propertyTable>;
  'serving.property_profile': Row<typeof propertyProfileTable>;
  'serving.property_neighbour': Row<typeof propertyNeighbourTable>;
  'serving.property_zoning': Row<typeof propertyZoningTable>;
  'serving.suburb': Row<typeof suburbTable>;
}

/** A connection that reads what is published; the role api_reader is enough for it. */
export type Serving = Kysely<ServingDatabase>;
