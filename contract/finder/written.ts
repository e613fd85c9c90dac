/** A whole number with commas between thousands: 1,250,000. Intl does the same in many times the time, and a page has thousands. */
export function grouped(whole: number): string {
  const digits = String(Math.abs(whole));
  let text = digits.slice(0, digits.length % 3);
  for (let i = text.length; i < digits.length; i += 3)
    text += `${text === '' ? '' : ','}${digits.slice(i, i + 3)}`;
  return whole < 0 ? `-${text}` : text;
}
