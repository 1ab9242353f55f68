/** Tells the time of the server, because the clock of a browser may be wrong by hours. */

let offsetMs = 0;

/** `date` is the header of an answer, which has whole seconds. */
export function noteServerTime(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const offset = at + 500 - Date.now();
  // Answers differ by up to a second, and a time that is shown must not jump back and forth.
  if (Math.abs(offset - offsetMs) > 1500) offsetMs = offset;
}

export const serverNow = (): number => Date.now() + offsetMs;
