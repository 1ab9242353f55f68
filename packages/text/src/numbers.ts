/** Writes numbers and amounts. */

const WHOLE = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** "48,211" */
export const count = (value: number): string => WHOLE.format(value);

/** "1 record", "48,211 records" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** "14.2 MB" */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let amount = value;
  let unit = '';
  for (const next of units) {
    if (amount < 1000) break;
    amount /= 1000;
    unit = next;
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
