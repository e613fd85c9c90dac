/** Formats a whole number with commas: 1,250,000. Intl is many times slower, and a page has thousands of numbers. */
export function grouped(value: number): string {
  const digits = String(Math.abs(value));
  let text = digits.slice(0, digits.length % 3);
  for (let i = text.length; i < digits.length; i += 3)
    text += `${text === '' ? '' : ','}${digits.slice(i, i + 3)}`;
  return value < 0 ? `-${text}` : text;
}
