/** Level of a school that is told: a special-purpose school is Special, whichever years it teaches. */
export const schoolLevel = ({ level, is_special }: { level: string | null; is_special: boolean }) =>
  is_special ? 'Special' : level;
