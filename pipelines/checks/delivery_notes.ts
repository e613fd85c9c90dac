import type pg from 'pg';
import { datumNotes } from './datum_notes.ts';
import { legalIdNotes } from './legal_id_notes.ts';
import { offsetNotes } from './offset_notes.ts';

/** Returns problems of the loaded deliveries as `doctor` reports them. */
export const deliveryNotes = async (client: pg.ClientBase): Promise<string[]> => [
  ...(await datumNotes(client)),
  ...(await offsetNotes(client)),
  ...(await legalIdNotes(client, null)),
];
