/** These are the two ways in which a request fails: the service refuses it, or does not answer. */

import { QuarryError } from 'quarry-client';

/** Its message consists of sentences, which a page can show. */
export class Refusal extends QuarryError {}

export class Unreachable extends Error {
  constructor() {
    super('Quarry does not answer.');
  }
}

export const refusalOf = (error: QuarryError): Refusal =>
  new Refusal(
    error.faults.length > 0
      ? error.faults.map(({ msg }) => sentenceOf(msg)).join(' ')
      : sentenceOf(error.message),
    error,
  );

/** Messages of the API begin with a small letter and have no full stop, because they also stand within lines. */
export function sentenceOf(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
