/** Characters of a message that repeats what a caller has sent; the end stays, where it says what to do. */
const LONGEST = 1_000;
const END = 200;

/**
 * The same message without the middle of a long one. The service bounds its errors in the same way, but this package
 * runs without it.
 */
export function brief(message: string): string {
  if (message.length <= LONGEST) return message;
  const start = message.slice(0, LONGEST - END).toWellFormed();
  return `${start} … ${message.slice(-END).toWellFormed()}`;
}
