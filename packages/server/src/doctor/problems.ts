/** Describes in words what can be wrong with a collection, and counts it with a few examples. */
import type { StoredProblem } from '../db/schema.ts';
import type { IndexFault } from '../engines/ports.ts';

/** Each kind of problem has at most this many examples. */
export const EXAMPLES = 10;

interface ProblemDescription {
  /** The title follows a number in a sentence, such as "3 chunks of entities that do not exist". */
  readonly title: string;
  readonly repairable: boolean;
  readonly hint: string | null;
}

const repairable = (title: string): ProblemDescription => ({ title, repairable: true, hint: null });
const problemOfSource = (title: string, hint: string): ProblemDescription => ({
  title,
  repairable: false,
  hint,
});

const FULL_SYNC = 'run a full sync of the connection';

const INDEX_KINDS: Readonly<Record<IndexFault, ProblemDescription>> = {
  chunk_without_entity: repairable('chunks of entities that do not exist'),
  chunk_without_body: repairable('chunks without text and vector'),
  body_without_chunk: repairable('texts and vectors without a chunk'),
  chunk_without_words: repairable('chunks that no word finds'),
  words_without_chunk: repairable('words without a chunk'),
  wrong_words: repairable('chunks with another number of words than was indexed'),
  wrong_vector: repairable('vectors of a wrong length or scale'),
  wrong_memory: repairable(
    'chunks that the memory of this process holds otherwise than they are stored',
  ),
};

const KINDS = {
  ...INDEX_KINDS,
  wrong_totals: repairable('totals of the index that differ from its chunks'),
  wrong_count: repairable('counters that differ from the number of entities'),
  entity_without_chunks: repairable('entities that should have chunks and have none'),
  unwanted_chunks: repairable('entities that should have no chunks and have some'),
  missing_chunk: repairable('entities with a missing chunk'),
  wrong_chunks: repairable('entities whose chunks are not those that their stored record makes'),
  broken_record: repairable('entities whose stored record cannot be read'),
  unreadable_record: problemOfSource(
    'entities whose stored record must come from the source again',
    FULL_SYNC,
  ),
  missing_here: problemOfSource('records of the source that are not stored', FULL_SYNC),
  gone_at_source: problemOfSource('stored entities that the source no longer lists', FULL_SYNC),
  outdated: problemOfSource(
    'stored entities that differ from the version in the source',
    FULL_SYNC,
  ),
  not_listed: problemOfSource('parts of the source that could not be listed', 'look at the source'),
} as const satisfies Record<string, ProblemDescription>;

export type ProblemKind = keyof typeof KINDS;

export const PROBLEM_KINDS = Object.keys(KINDS) as readonly ProblemKind[];

/** Throws when the kind is not known, which would be that of another version. */
export function kindOf(kind: string): ProblemDescription & { readonly kind: ProblemKind } {
  if (!Object.hasOwn(KINDS, kind)) throw new Error(`the kind of problem '${kind}' is not known`);
  return { kind: kind as ProblemKind, ...KINDS[kind as ProblemKind] };
}

export type Findings = ReturnType<typeof createFindings>;

/** Counts every finding, and keeps a few examples of each kind. */
export function createFindings() {
  const found = new Map<ProblemKind, { count: number; examples: string[] }>();
  return {
    add(kind: ProblemKind, example: string | null): void {
      const one = found.get(kind) ?? { count: 0, examples: [] };
      one.count++;
      if (example !== null && one.examples.length < EXAMPLES) one.examples.push(example);
      found.set(kind, one);
    },
    has: (kind: ProblemKind): boolean => found.has(kind),
    list: (): StoredProblem[] => [...found].map(([kind, one]) => ({ kind, ...one })),
  };
}
