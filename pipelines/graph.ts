import type { Config } from '../schema/config.ts';
import type { Stage } from './engine/stage.ts';
import { addressParcelStage } from './stages/address_parcel.ts';
import { addressRegionStage } from './stages/address_region.ts';
import { addressZoneStage } from './stages/address_zone.ts';
import { parcelNeighbourStage } from './stages/parcel_neighbour.ts';
import { servePropertyStage } from './stages/serve_property.ts';
import { servePropertyNeighbourStage } from './stages/serve_property_neighbour.ts';
import { servePropertyProfileStage } from './stages/serve_property_profile.ts';
import { servePropertyZoningStage } from './stages/serve_property_zoning.ts';
import { serveSuburbStage, suburbPartStage } from './stages/suburb.ts';

/** Every stage in an order in which each one follows the stages whose output it reads. */
export function graph(config: Config): readonly Stage[] {
  return [
    addressParcelStage(config.parcel.legal_id_radius_m),
    parcelNeighbourStage,
    addressRegionStage,
    addressZoneStage,
    servePropertyStage,
    servePropertyProfileStage,
    servePropertyNeighbourStage,
    servePropertyZoningStage,
    suburbPartStage,
    serveSuburbStage,
  ];
}
