import { STATE_OF_DIGIT } from '../../schema/states.ts';

/** Returns Government, Catholic or Independent; null: anything else. */
export function sectorOf(text: string): string | null {
  if (/cath/i.test(text)) return 'Catholic';
  if (/indep|non[ -]?gov|private/i.test(text)) return 'Independent';
  return /gov|public|state|department/i.test(text) ? 'Government' : null;
}

/** Types of schools with a special purpose, whatever their years. */
const SPECIAL_TYPE = /special|specific purpose|language|camp|hospital|distance|detention/i;
/** Types in a school list that are not schools: centres that classes visit, nurseries. */
const NO_SCHOOL_TYPE = /^environmental education|^outdoor education|^other school/i;
/** Names of centres that classes visit; they are listed as schools of all years, without enrolments. */
const CENTRE_NAME =
  /\b(environmental|outdoor|field stud(y|ies)|sustainability|marine|discovery|zoo|science|learning|education)\b.*\bcentre\b|\boutdoor (school|education)\b/i;
/** Names that always mean such a centre. */
const SURE_CENTRE_NAME =
  /\b(environmental|outdoor) education(al)? cent(re|er)\b|\bfield stud(y|ies) cent(re|er)\b|\bEEC\b/i;
/** Names of schools that teach remotely: nobody attends at their location. */
const DISTANCE_NAME =
  /distance education|virtual school|school of the air|schools of isolated|correspondence school/i;

/** Returns Primary, Secondary, Combined or Special (which includes language schools and camps); null: none of them. */
export function levelOf(text: string): string | null {
  if (NO_SCHOOL_TYPE.test(text)) return null;
  if (SPECIAL_TYPE.test(text)) return 'Special';
  if (/combined|composite|pri(mary)?\s*[/&+-]\s*sec|^[kp]-\d\d?$|central|k\s*(to|-)\s*12/i.test(text))
    return 'Combined';
  if (/^prim|infant|junior|^pri\b/i.test(text)) return 'Primary';
  return /^sec|high|senior/i.test(text) ? 'Secondary' : null;
}

/** True for the name of a centre that classes visit: without enrolments it is not a school to attend. */
export const isCentre = (name: string): boolean => CENTRE_NAME.test(name);

/** Returns true for a special school, a language school, a camp, a distance education school, or a centre that classes visit. */
export function isSpecial(type: string, flag: string, name: string): boolean {
  if (NO_SCHOOL_TYPE.test(type) || SURE_CENTRE_NAME.test(name)) return true;
  return SPECIAL_TYPE.test(type) || /^(1|1\.0|true|yes|y)$/i.test(flag) || DISTANCE_NAME.test(name);
}

/** Maximum number of a school in a state list, and maximum group. */
export const MAX_STATE_NUMBER = 9_999_999;
export const MAX_GROUP = 9;

/**
 * Builds the identifier of a school in a state list from the state's digit, group and number: 210000026 is number 26 of group 1 in
 * Victoria. Never equal to an ACARA SML ID, which has at most six digits.
 */
export function stateSchoolId(state: string, group: number, number: number): number {
  const digit = Object.keys(STATE_OF_DIGIT).find((each) => STATE_OF_DIGIT[each] === state);
  return Number(digit) * 100_000_000 + group * 10_000_000 + number;
}
