/** Reads how only Jira refuses. */
import { SourceError } from '../../errors.ts';

/** A project may disappear after the list of projects has shown it. */
export const projectIsGone = (status: number, sentence: string): SourceError | undefined =>
  status === 400 && /does not exist for the field 'project'/.test(sentence)
    ? new SourceError('skip', `Jira answered 400: ${sentence}`)
    : undefined;
