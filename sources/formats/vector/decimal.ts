const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const LOWER_E = 0x65;
/** Bytes that JSON numbers are made of. */
const IN_NUMBER = Uint8Array.from({ length: 256 }, (_, i) =>
  Number(/[-+.0-9eE]/.test(String.fromCharCode(i))),
);
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Powers of ten that doubles hold exactly. */
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** Digits that a run of 31 bits holds. */
const RUN = 9;
/** Splits a double into halves of 26 bits (Veltkamp). */
const SPLIT = 2 ** 27 + 1;

/**
 * Reads numbers as JSON writes them off bytes, each exactly the double that `Number` gives for its text, in a fraction of the
 * time. Up to 15 digits are one exact division; up to 18 are divided with the remainder carried along (Dekker), and what comes
 * too close to the middle of two doubles, has more digits or an exponent goes by `Number`.
 */
export class DecimalReader {
  /** Place after the number. */
  end = 0;

  /** The number at `from`; NaN: there is none in JSON's form before `to`, or it reaches up to `to`, where more may follow. */
  read(bytes: Buffer, from: number, to: number): number {
    const isNegative = bytes[from] === MINUS;
    const first = isNegative ? from + 1 : from;
    let at = first;
    // the first nine digits and the next nine
    let high = 0;
    let low = 0;
    let digit = 0;
    for (; at < to; at++) {
      digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      high = (Math.imul(high, 10) + digit) | 0;
    }
    const whole = at - first;
    let fraction = 0;
    if (digit === POINT - ZERO && whole > 0 && whole < RUN) {
      const point = at++;
      const highEnd = Math.min(to, first + 1 + RUN);
      for (; at < highEnd; at++) {
        digit = bytes[at]! - ZERO;
        if (digit < 0 || digit > 9) break;
        high = (Math.imul(high, 10) + digit) | 0;
      }
      if (at === highEnd) {
        const lowEnd = Math.min(to, first + 1 + 2 * RUN);
        for (; at < lowEnd; at++) {
          digit = bytes[at]! - ZERO;
          if (digit < 0 || digit > 9) break;
          low = (Math.imul(low, 10) + digit) | 0;
        }
        if (at === lowEnd) digit = 0;
      }
      fraction = at - point - 1;
      if (fraction === 0) digit = 0;
    }
    this.end = at;
    // what goes on (digits, a point, an exponent) or starts with a zero is for the text
    if (
      at >= to ||
      whole === 0 ||
      whole > RUN ||
      (digit >= 0 && digit <= 9) ||
      digit === POINT - ZERO ||
      (bytes[at]! | 0x20) === LOWER_E ||
      (whole > 1 && bytes[first] === ZERO)
    )
      return this.#byText(bytes, from, to);
    const value = quotient(high, low, whole + fraction, fraction);
    if (value < 0) return this.#byText(bytes, from, to);
    return isNegative ? -value : value;
  }

  /** The number by way of its text. */
  #byText(bytes: Buffer, from: number, to: number): number {
    let end = from;
    while (end < to && IN_NUMBER[bytes[end]!] === 1) end++;
    this.end = end;
    if (end >= to) return Number.NaN;
    const text = bytes.toString('latin1', from, end);
    return NUMBER.test(text) ? Number(text) : Number.NaN;
  }
}

/** The double nearest to the digits of both runs over 10^fraction; -1: the arithmetic cannot say which it is. */
function quotient(high: number, low: number, count: number, fraction: number): number {
  const power = POWERS[fraction]!;
  if (count <= RUN) return high / power;
  // exact: 9 digits times 5^9 have 51 bits
  const upper = high * POWERS[count - RUN]!;
  const sum = upper + low;
  if (count <= 15) return sum / power;
  const carried = low - (sum - upper);
  const ratio = sum / power;
  // the remainder of the division, exactly
  const product = ratio * power;
  const ratioHigh = ratio * SPLIT - (ratio * SPLIT - ratio);
  const ratioLow = ratio - ratioHigh;
  const powerHigh = power * SPLIT - (power * SPLIT - power);
  const powerLow = power - powerHigh;
  const productError =
    ratioLow * powerLow - (product - ratioHigh * powerHigh - ratioLow * powerHigh - ratioHigh * powerLow);
  const correction = (sum - product - productError + carried) / power;
  const value = ratio + correction;
  const left = correction - (value - ratio);
  return value + left * 1.0000000001 === value ? value : -1;
}
