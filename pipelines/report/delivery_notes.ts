import type pg from 'pg';
import { legalIdNotes } from './legal_id_notes.ts';

/** What is odd about the deliveries that are loaded, seen by what was computed of them; for the run report and doctor. */
export const deliveryNotes = (client: pg.ClientBase): Promise<string[]> => legalIdNotes(client);
