/** Formats a whole number with commas: 1,250,000. Intl is many times slower, and a page has thousands of numbers. */
export function grouped(whole: number): string {
  const digits = String(Math.abs(whole));
  let text = digits.slice(0, digits.length % 3);
  for (let i = text.length; i < digits.length; i += 3)
    text += `${text === '' ? '' : ','}${digits.slice(i, i + 3)}`;
  return whole < 0 ? `-${text}` : text;
}
