/** These functions put numbers into words. */

/** Returns a number with its noun, whose plural ends with s. */
export const counted = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : `${noun}s`}`;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

export function agoText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / size))} ${unit} ago`;
}
