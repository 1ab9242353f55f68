/**
 * A message that repeats values of a request has at most this many characters. It is cut in the middle, because its end
 * says what to do.
 */
const LONGEST_MESSAGE = 1_000;
const END_CHARACTERS = 200;

/**
 * Cuts the middle out of a long message. The service shortens its errors in the same way, but this package cannot
 * import code of the service.
 */
export function brief(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  const start = message.slice(0, LONGEST_MESSAGE - END_CHARACTERS).toWellFormed();
  return `${start} … ${message.slice(-END_CHARACTERS).toWellFormed()}`;
}
