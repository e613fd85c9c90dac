import type { Table } from '../table.ts';
import { propertyTable } from './property.ts';
import { propertyNeighbourTable } from './property_neighbour.ts';
import { propertyProfileTable } from './property_profile.ts';
import { propertyZoningTable } from './property_zoning.ts';
import { suburbTable } from './suburb.ts';

/** Every serving table, in the order in which they are published. */
export const SERVING_TABLES: readonly Table[] = [
  propertyTable,
  propertyProfileTable,
  propertyNeighbourTable,
  propertyZoningTable,
  suburbTable,
];
