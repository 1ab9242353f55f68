/**
 * A message that repeats what a caller has sent gets at most this many characters. Its end stays, because it says
 * what to do.
 */
const LONGEST = 1_000;
const END = 200;

/**
 * Gives the same message without the middle of a long one. The service shortens its errors in the same way, but
 * this package runs without the service.
 */
export function brief(message: string): string {
  if (message.length <= LONGEST) return message;
  const start = message.slice(0, LONGEST - END).toWellFormed();
  return `${start} … ${message.slice(-END).toWellFormed()}`;
}
