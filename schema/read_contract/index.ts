import type { Endpoint } from './answer.ts';
import { dwellingType } from './dwelling_type.ts';
import { landArea } from './land_area.ts';
import { neighbours } from './neighbours.ts';
import { profile } from './profile.ts';
import { zoningCode } from './zoning_code.ts';

/** Every endpoint that the published tables can answer. */
export const ENDPOINTS: readonly Endpoint[] = [profile, landArea, dwellingType, neighbours, zoningCode];
