/** Describes how a random suite failed, and shortens the steps that lead to the failure. */
import { Violation } from './violation.ts';

export interface Failure<Step> {
  readonly seed: number;
  /** All failures of one kind have the same rule. */
  readonly rule: string;
  readonly message: string;
  readonly steps: readonly Step[];
}

/** Returns the failure of these steps that an error means. */
export function failureOf<Step>(
  error: unknown,
  seed: number,
  steps: readonly Step[],
): Failure<Step> {
  const { message, stack } = error as Error;
  return error instanceof Violation
    ? { seed, rule: error.rule, message, steps }
    : { seed, rule: message, message: stack ?? message, steps };
}

/** Returns the same failure with as few steps as possible. */
export async function withFewestSteps<Step>(
  failure: Failure<Step>,
  play: (steps: readonly Step[]) => Promise<Failure<Step> | undefined>,
): Promise<Failure<Step>> {
  let least = failure;
  for (let size = Math.ceil(failure.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < least.steps.length; ) {
      const again = await play(least.steps.toSpliced(at, size));
      if (again?.rule === failure.rule) least = again;
      else at += size;
    }
  }
  return least;
}

/** Says what failed, which command repeats it, and which steps suffice. */
export const describeFailure = (
  { seed, message, steps }: Omit<Failure<unknown>, 'rule'>,
  command: string,
): string =>
  [
    `seed ${seed}: ${message}`,
    `again: npm run ${command}`,
    ...steps.map((step) => (typeof step === 'string' ? step : `  ${JSON.stringify(step)}`)),
  ].join('\n');
