/** Reads the arguments of the scripts that play random suites, and prints what they have played. */

export function numberOf(text: string, least = 0): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`'${text}' is not a whole number from ${least}`);
  return value;
}

export function oneOf<Name extends string>(names: readonly Name[], wanted: string): Name {
  const found = names.find((name) => name === wanted);
  if (!found) throw new Error(`'${wanted}' is not one of ${names.join(', ')}`);
  return found;
}

/** Prints the sentence that `play` returns, with its duration. When `play` fails, sets the exit code. */
export async function report(play: () => Promise<string>): Promise<void> {
  const started = performance.now();
  try {
    const sentence = await play();
    console.log(`${sentence} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
