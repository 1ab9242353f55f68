/**
 * Says why the issuer has not signed a person in, and what to do. The code comes from the address, which anybody may
 * have written, so it only chooses a sentence.
 */
const SENTENCES: ReadonlyMap<string, (issuer: string) => string> = new Map([
  [
    'refused_by_issuer',
    (issuer: string) =>
      `The sign-in at ${issuer} was refused or cancelled. Try again, or ask those who run it whether you may use Quarry.`,
  ],
  [
    'unknown_account',
    (issuer: string) =>
      `No member here has the e-mail address with which you signed in at ${issuer}. Ask an admin to invite that address, then sign in again.`,
  ],
  [
    'email_not_verified',
    (issuer: string) =>
      `Your e-mail address does not count as verified at ${issuer}. Verify it there, then sign in again.`,
  ],
  [
    'email_not_usable',
    (issuer: string) =>
      `No account here can have the e-mail address that comes from ${issuer}. Have it corrected there, then sign in again.`,
  ],
  [
    'expired',
    () =>
      'The sign-in took too long, was begun in another browser, or the browser blocks cookies. Sign in again.',
  ],
  [
    'invalid_answer',
    (issuer: string) => `The answer of ${issuer} was not valid, or was used before. Sign in again.`,
  ],
  [
    'issuer_unavailable',
    (issuer: string) =>
      `There was no proper answer from ${issuer}. Try again in a moment, or sign in by password.`,
  ],
  ['try_again', () => 'Your account was made at the same moment. Sign in again.'],
  ['no_issuer', () => 'Nobody signs in through another service here. Sign in by password.'],
]);

export const KNOWN_REFUSALS: readonly string[] = [...SENTENCES.keys()];

/** `issuer` is the host of the issuer, or null when it is not known. */
export function signInRefusal(code: string, issuer: string | null): string {
  const sentence = SENTENCES.get(code);
  return sentence?.(issuer ?? 'the other service') ?? 'The sign-in did not work. Sign in again.';
}
