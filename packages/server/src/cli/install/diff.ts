/** Shows the lines that will change in a file, with secrets masked. */

/** This many unchanged lines are shown on each side of the change. */
const CONTEXT = 2;
const LONGEST_LINE = 200;

/** Returns the lines from the first that differs to the last that differs, with their context. */
export function diff(before: string, after: string, secrets: readonly string[]): string {
  const [old, young] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const start = commonLength(old, young);
  const end = commonLength(old.slice(start).toReversed(), young.slice(start).toReversed());
  const [removed, added] = [
    old.slice(start, old.length - end),
    young.slice(start, young.length - end),
  ];
  const context = [old.slice(Math.max(0, start - CONTEXT), start), old.slice(old.length - end)];
  const lines = [
    ...prefixed('  ', context[0] ?? []),
    ...changed(removed, added),
    ...prefixed('  ', context[1]?.slice(0, CONTEXT) ?? []),
  ];
  return lines.map((line) => `${masked(line, secrets)}\n`).join('');
}

/** The last four characters of a key are shown, so that the user can recognize the key. */
const mask = (secret: string): string => (secret.length < 16 ? '…' : `…${secret.slice(-4)}`);

function changed(removed: readonly string[], added: readonly string[]): string[] {
  const [before, after] = [removed[0], added[0]];
  const isLong = [...removed, ...added].some((line) => line.length > LONGEST_LINE);
  if (!isLong || removed.length !== 1 || added.length !== 1 || !before || !after)
    return [...prefixed('- ', removed), ...prefixed('+ ', added)];
  // Some files have everything in one line, so only the part of a long line that differs is shown.
  const start = commonLength(before, after);
  const end = commonLength(
    [...before.slice(start)].toReversed(),
    [...after.slice(start)].toReversed(),
  );
  const parts: [string, string][] = [
    ['- ', before.slice(start, before.length - end)],
    ['+ ', after.slice(start, after.length - end)],
  ];
  return parts.filter(([, part]) => part !== '').map(([sign, part]) => `${sign}…${part}…`);
}

const prefixed = (sign: string, lines: readonly string[]): string[] =>
  lines
    .filter((line) => line !== '')
    .map((line) =>
      line.length > LONGEST_LINE ? `${sign}(a line of ${line.length} characters)` : sign + line,
    );

/** The longest secret is masked first, because a shorter secret may be a part of it. */
function masked(line: string, secrets: readonly string[]): string {
  const ordered = secrets.toSorted((a, b) => b.length - a.length);
  return ordered.reduce((text, secret) => text.replaceAll(secret, mask(secret)), line);
}

/** Returns the length of the common beginning of two lists. */
function commonLength<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  const max = Math.min(a.length, b.length);
  let length = 0;
  while (length < max && a[length] === b[length]) length++;
  return length;
}
