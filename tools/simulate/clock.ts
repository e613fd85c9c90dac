/** Hours by which the clock of this process is wrong. */
let wrong = 0;
const { Date: RealDate } = globalThis;

/** Sets by how many hours the clock is wrong, also backwards. The module must be imported before the program. */
export const setClock = (hours: number): void => {
  wrong = hours * 3_600_000;
};

globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [RealDate.now() + wrong] : args) as [number]));
  }
  static override now(): number {
    return RealDate.now() + wrong;
  }
} as DateConstructor;
