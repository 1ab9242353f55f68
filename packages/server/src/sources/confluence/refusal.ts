/** Reads what only Confluence says in its refusals. */
import { SourceError } from '../../errors.ts';

export function special(status: number, sentence: string): SourceError | undefined {
  const message = `Confluence answered ${status}: ${sentence}`;
  if (status === 400 && /\bcursor\b/i.test(sentence)) return new SourceError('outdated', message);
  if (status === 403 && /(not permitted to use|cannot access) Confluence/i.test(sentence))
    return new SourceError('auth', message, {
      hint: 'Check the e-mail address and the API token, and that the account may use Confluence.',
    });
  return undefined;
}
