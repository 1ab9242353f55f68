/** Says in words what the doctor has found, what it means for searches, and what to do. */

import { counted } from 'quarry-text/numbers';
import type { Schemas } from '../api/client.ts';

type Problem = Schemas['MaintenanceProblem'];

interface Finding {
  readonly title: string;
  readonly meaning: string;
}

const passages = (count: number) => counted(count, 'passage');
const records = (count: number) => counted(count, 'record');
const has = (count: number) => (count === 1 ? 'has' : 'have');
const is = (count: number) => (count === 1 ? 'is' : 'are');
const AGAIN = 'Repairing makes it again from what is stored.';

const WORDS: Readonly<Record<Problem['kind'], (count: number) => Finding>> = {
  missing_chunk: (n) => ({
    title: `${records(n)} ${has(n)} a passage that searches cannot find`,
    meaning: AGAIN,
  }),
  entity_without_chunks: (n) => ({
    title: `${records(n)} cannot be found by searches`,
    meaning: 'Repairing makes their passages again from what is stored.',
  }),
  unwanted_chunks: (n) => ({
    title: `${records(n)} can be found and should not be`,
    meaning: 'Their collection keeps such records out of searches. Repairing removes the passages.',
  }),
  wrong_chunks: (n) => ({
    title: `${records(n)} ${has(n)} other passages than their text`,
    meaning: 'Searches may show an old text. Repairing makes the passages again.',
  }),
  chunk_without_entity: (n) => ({
    title: `${passages(n)} ${n === 1 ? 'belongs' : 'belong'} to records that are gone`,
    meaning: 'Searches do not show them. Repairing removes them.',
  }),
  chunk_without_body: (n) => ({
    title: `${passages(n)} ${has(n)} no text`,
    meaning: `Searches cannot show them. ${AGAIN}`,
  }),
  body_without_chunk: (n) => ({
    title: `${counted(n, 'text')} ${n === 1 ? 'belongs' : 'belong'} to no passage`,
    meaning: 'They only take room. Repairing removes them.',
  }),
  chunk_without_words: (n) => ({
    title: `${passages(n)} cannot be found by words`,
    meaning: 'Repairing indexes the words again.',
  }),
  words_without_chunk: (n) => ({
    title: `The index has words of ${passages(n)} that ${is(n)} gone`,
    meaning: 'Searches do not show them. Repairing removes the words.',
  }),
  wrong_words: (n) => ({
    title: `${passages(n)} ${is(n)} indexed with other words than their text has`,
    meaning: 'Repairing indexes the words again.',
  }),
  wrong_vector: (n) => ({
    title: `${passages(n)} cannot be compared by meaning`,
    meaning: 'Repairing makes the vectors again from what is stored.',
  }),
  wrong_memory: (n) => ({
    title: `${passages(n)} ${is(n)} held in memory otherwise than stored`,
    meaning: 'Repairing reads the collection into memory again.',
  }),
  wrong_totals: () => ({
    title: 'The totals of the index are wrong',
    meaning: 'Searches weigh words by them. Repairing counts again.',
  }),
  wrong_count: (n) => ({
    title: `${counted(n, 'counter')} of records ${is(n)} wrong`,
    meaning: 'Lists show wrong numbers. Repairing counts again.',
  }),
  broken_record: (n) => ({
    title: `${records(n)} cannot be read as they are stored`,
    meaning: 'Repairing marks them. The next full sync then reads them from their source again.',
  }),
  unreadable_record: (n) => ({
    title: `${records(n)} must come from ${n === 1 ? 'its' : 'their'} source again`,
    meaning: 'Only the source has them: run a full sync of the connection.',
  }),
  missing_here: (n) => ({
    title: `${records(n)} of the source ${is(n)} not here`,
    meaning: 'Run a full sync of the connection.',
  }),
  gone_at_source: (n) => ({
    title: `${records(n)} ${is(n)} gone at the source and still here`,
    meaning: 'Run a full sync of the connection.',
  }),
  outdated: (n) => ({
    title: `${records(n)} ${n === 1 ? 'differs' : 'differ'} from the source`,
    meaning: 'Run a full sync of the connection.',
  }),
  not_listed: (n) => ({
    title: `${counted(n, 'part')} of the source could not be listed`,
    meaning: 'Nothing can be said about its records. Look at the source.',
  }),
};

export const findingOf = ({ kind, count }: Pick<Problem, 'kind' | 'count'>): Finding =>
  WORDS[kind](count);
