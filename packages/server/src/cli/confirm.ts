/** Asks a person before something is changed. */
import { createInterface } from 'node:readline/promises';

export interface Confirmation {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  /** Says what to do where nobody can be asked. */
  readonly advice?: string;
}

/**
 * Asks the question. Returns true only for the answer y or yes. Throws an Error when the input is not a terminal,
 * because a user cannot answer there.
 */
export async function confirmed(
  question: string,
  { input, output, advice = 'give --yes' }: Confirmation,
): Promise<boolean> {
  if (!input.isTTY) throw new Error(`the change cannot be confirmed without a terminal: ${advice}`);
  const lines = createInterface({ input, output });
  try {
    // The end of the input counts as the answer no.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return /^y(es)?$/i.test(
      (await Promise.race([lines.question(`${question} [y/N] `), ended])).trim(),
    );
  } finally {
    lines.close();
  }
}
