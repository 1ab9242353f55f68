/** Reads how only Jira refuses. */
import { SourceError } from '../../errors.ts';

/** Jira does not accept the values of a request. Its sentence is in the language of the account. */
export class RefusedValues extends SourceError {}

/** A project may disappear after the list of projects has shown it. */
export function special(status: number, sentence: string): SourceError | undefined {
  if (status !== 400) return undefined;
  const message = `Jira answered 400: ${sentence}`;
  return /does not exist for the field 'project'/.test(sentence)
    ? new SourceError('skip', message)
    : new RefusedValues('fatal', message);
}
