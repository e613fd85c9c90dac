const PLACES =
  'Acacia Alder Amber Ash Aspen Banksia Barley Bell Birch Boronia Box Brook Cedar Cherry Clare Clover Coral Cypress Dale Ebony Elm Fern Finch Flint Forest Fox Garnet Glen Grange Gum Hazel Heath Heron Hickory Honey Iris Ivy Jade Jasper Juniper Karri Kelp Kestrel Lark Laurel Lemon Lilac Linden Magpie Mallee Maple Marble Melba Mint Mulberry Myrtle Nettle Oak Olive Opal Orchard Osprey Palm Pearl Pepper Pine Plum Poplar Quarry Quartz Quince Raven River Robin Rose Rowan Rush Sage Saltbush Sandal Sedge Shale Silver Slate Sorrel Spruce Stone Sugar Swan Teal Thistle Thorn Tulip Turner Violet Walnut Waratah Wattle Willow Wren Yarrow Zinnia';
const ENDINGS =
  'Vale Park Heights Hill Creek Point Grove Bay Gardens Ridge Flat Waters Junction Fields Springs Lakes Wood Plains Rise Beach Gully Meadows Downs Lea Haven Reach View Crossing Bank Green';

const PLACE_WORDS = PLACES.split(' ');
const ENDING_WORDS = ENDINGS.split(' ');
const SIDES = ['', 'North ', 'South ', 'East ', 'West ', 'Upper ', 'Lower ', 'Mount '];

/** How far a suburb's name is known: alone, beside another state's, or beside one in the same state. */
export type NameReach = 'unique' | 'in_other_states' | 'in_same_state';

/** States (by number) with two suburbs of one name: number 0 in the capital, number 5 in a country town. */
const WITH_NAMESAKES = 3;

/**
 * Name of suburb `k` of state number `state`. Names that are not repeated on purpose are unique in Australia for up to
 * 2,900 suburbs a state.
 */
export function suburbName(state: number, k: number): { name: string; reach: NameReach } {
  const namesakes = state < WITH_NAMESAKES;
  if (k === 0 || (k === 5 && namesakes)) {
    return { name: 'Springfield', reach: namesakes ? 'in_same_state' : 'in_other_states' };
  }
  if (k === 2) return { name: 'Richmond', reach: 'in_other_states' };
  const n = k * 8 + state;
  const word = PLACE_WORDS[n % PLACE_WORDS.length]!;
  const rest = Math.floor(n / PLACE_WORDS.length);
  const ending = ENDING_WORDS[(rest * 7 + n) % ENDING_WORDS.length]!;
  const side = SIDES[Math.floor(rest / ENDING_WORDS.length) % SIDES.length]!;
  return { name: `${side}${word} ${ending}`, reach: 'unique' };
}

/** ABS name of a suburb: `Richmond (Vic.)`, or `Springfield (Goldfield - Vic.)` where the state has two. */
export function salName(name: string, reach: NameReach, town: string, abs: string): string {
  if (reach === 'unique') return name;
  return reach === 'in_other_states' ? `${name} (${abs})` : `${name} (${town} - ${abs})`;
}

const STREETS =
  "ADELAIDE ALBERT ALBION ALFRED ANZAC ARGYLE ARTHUR AVOCA BALMORAL BANK BARKLY BATHURST BEACH BOURKE BRIDGE BRIGHTON BROAD BROWN BURKE CAMERON CAMPBELL CANAL CARLISLE CECIL CHAPEL CHARLES CHURCH CLARENCE CLARKE CLIFTON COLLINS COOK CROWN CURTIN DAISY DARLING DEAKIN DENISON DERBY DUKE EDWARD ELGIN ELIZABETH FARADAY FITZROY FLINDERS FOREST FRANKLIN FREDERICK GARDEN GEORGE GIPPS GLADSTONE GORDON GRAHAM GRANT GREY HAMPTON HARRIS HENRY HIGH HILL HOPE HUNTER ISABELLA JAMES JOHN JUBILEE KENT KING KINGSLEY LAKE LANSDOWNE LATROBE LENNOX LEWIS LIVERPOOL LOCH MACARTHUR MAIN MARGARET MARKET MARTIN MARY MERRI MILL MITCHELL MONASH MURRAY NAPIER NELSON NEWTON NORFOLK O'BRIEN O'CONNELL OXFORD PARK PARKES PHILLIP PITT PRINCE PRINCESS QUEEN RAILWAY RAMSAY REGENT RICHARD RIVER ROBERT ROBINSON ROSE RUSSELL SCOTT SHAFTESBURY SMITH SPENCER SPRING STANLEY STATION STEWART SYDNEY TASMAN THOMAS UNION VICTORIA VIEW VINCENT WALKER WALLACE WATERLOO WATTLE WELLINGTON WENTWORTH WHARF WILLIAM WILSON WINDSOR YARRA YORK".split(
    ' ',
  );

/** Street names without type, upper case; a suburb takes a run of them so that none repeats. */
export const streetName = (n: number): string => STREETS[n % STREETS.length]!;
export const STREET_NAMES = STREETS.length;
