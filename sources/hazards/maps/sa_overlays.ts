import { classIn, notEnded } from '../../fields/column_filter.ts';
import { type HazardFieldMap, hazardMap } from '../field_map.ts';

/**
 * Overlays of the South Australian Planning and Design Code by name; `*` if the layer and its title differ, or there are several. The
 * subject of a name that is not listed is unknown.
 */
const SA_OVERLAYS: readonly string[] = [
  'Adelaide Dolphin Sanctuary',
  'Advertising Near Signalised Intersections',
  'Affordable Housing',
  'Aircraft Noise Exposure',
  'Airport Building Heights*',
  'Ancillary Accommodation*',
  'Building Height*',
  'Building Near Airfields',
  'Character Area',
  'Character Preservation District',
  'Coastal Areas',
  'Coastal Flooding',
  'Concept Plan*',
  'Defence Aviation Area',
  'Design',
  'Dwelling Excision',
  'Environment and Food Production Area*',
  'Future Local Road Widening',
  'Future Road Widening',
  'Gas and Liquid Petroleum Pipelines*',
  'Gateway',
  'Hazards (Acid Sulfate Soils)',
  'Hazards (Bushfire - High Risk)',
  'Hazards (Bushfire - Medium Risk)',
  'Hazards (Bushfire - General)',
  'Hazards (Bushfire - General Risk)',
  'Hazards (Bushfire - Urban Interface)',
  'Hazards (Bushfire - Regional)',
  'Hazards (Bushfire - Outback)',
  'Hazards (Flooding)',
  'Hazards (Flooding High)',
  'Hazards (Flooding - General)',
  'Hazards (Flooding General)',
  'Hazards (Flooding - Evidence Required)',
  'Hazards (Flooding Evidence Required)',
  'Heritage Adjacency',
  'Historic Area',
  'Historic Shipwrecks',
  'Interface Management',
  'Key Outback and Rural Routes',
  'Key Railway Crossings',
  'Limited Dwelling',
  'Limited Land Division',
  'Local Heritage Place',
  'Major Urban Transport Routes',
  'Marine Parks*',
  'Mount Lofty Ranges*Catchment*',
  'Murray*Darling Basin',
  'Native Vegetation',
  'Noise and Air Emissions',
  'Non-stop Corridor',
  'Prescribed Surface Water Area*',
  'Prescribed Water Resources Area*',
  'Prescribed Watercourse*',
  'Prescribed Wells Area*',
  'Ramsar Wetlands',
  'Regulated and Significant Tree',
  'Resource Extraction Protection Area',
  'River Murray*',
  'Scenic Quality',
  'Significant Interface Management',
  'Significant Landscape Protection',
  'Sloping Land',
  'State Heritage Area',
  'State Heritage Place',
  'State Significant Native Vegetation',
  'Stormwater Management',
  'Traffic Generating Development',
  'Tunnel Protection',
  'Urban Transport Routes',
  'Urban Tree Canopy',
  'Water Protection Area',
  'Water Resources',
];

const NAME: readonly string[] = ['name', 'OVERLAY', 'OVERLAY_NAME'];

/** Builds a hazard map from some of the overlays, by name; overlays that have ended are left out. */
export const saOverlay = (
  names: readonly string[],
  ownNames: Partial<HazardFieldMap> & Pick<HazardFieldMap, 'layer' | 'label'>,
): HazardFieldMap => {
  const other = SA_OVERLAYS.filter((name) => !names.includes(name));
  const filters = [classIn(NAME, names, other), notEnded('legalenddate'), notEnded('systemenddate')];
  return hazardMap({ name: NAME, filters, ...ownNames });
};
