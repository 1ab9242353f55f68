/**
 * Asks the source for everything below some records, and stores it.
 *
 *   below ▶ (as a batch of a pull) hydrate ▶ extract ▶ … ▶ commit ▶ delete what is gone ▶ note the version
 *
 * Rows below a record that did not come up are deleted, with the same guard as in a sweep. Only then the row of the
 * record notes the version. A record of which something failed keeps what is stored below it, and gets no note: the
 * next pull that meets it asks again.
 */

import type { OptionalKinds } from '../../documents/kinds.ts';
import { SourceError } from '../../errors.ts';
import type { BelowList, ChildRecord, LeftOut, Stub } from '../../sources/items.ts';
import { batches, type ItemBatch } from './batches.ts';
import { belowVersion, recordIdOf } from './below.ts';
import { type Decision, deletesMissing } from './decision.ts';
import { BATCH } from './limits.ts';
import { asynchronously } from './of-source.ts';
import type { StoredEntity } from './store.ts';

export interface StoreBelowDeps {
  readonly below: (stubs: readonly Stub[]) => AsyncIterable<BelowList | LeftOut>;
  /** Stores the records of a batch, and returns the ids of those that failed, or that were left out on purpose. */
  readonly storeBatch: (
    batch: ItemBatch,
  ) => Promise<{ readonly failed: ReadonlySet<string>; readonly skipped: ReadonlySet<string> }>;
  /** Reads the rows below the records with these ids, after everything that waits has been stored. */
  readonly rowsBelow: (ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity[]>>;
  /** Returns false when so many deletions need a confirmation. */
  readonly mayDelete: (count: number) => boolean;
  /** Lists entities, by their row ids, among those whose deletion the job holds back. */
  readonly holdBack: (entities: readonly string[]) => Promise<void>;
  readonly commit: (decisions: readonly Decision[]) => Promise<void>;
  readonly optional: OptionalKinds | undefined;
}

/** Returns how many deletions were not made because they wait for a confirmation. */
export async function storeBelow(stubs: readonly Stub[], deps: StoreBelowDeps): Promise<number> {
  const waiting = new Map(stubs.map((stub) => [stub.id, stub]));
  let answers: BelowAnswer[] = [];
  let characters = 0;
  let heldBack = 0;
  const storeAnswers = async () => {
    const some = answers;
    answers = [];
    characters = 0;
    if (some.length > 0) heldBack += await storeSome(some, deps);
  };
  try {
    for await (const answer of deps.below(stubs)) {
      const stub = waiting.get(answer.id);
      if (!stub) throw new Error(`nobody asked what is below ${answer.id}, or it came twice`);
      waiting.delete(answer.id);
      answers.push({ stub, answer });
      characters += charactersOf(answer);
      if (answers.length >= BATCH.records || characters >= BATCH.characters) await storeAnswers();
    }
  } catch (error) {
    // The answers before the error are stored, so that an interrupted pull always makes progress.
    if (error instanceof SourceError) await storeAnswers();
    throw error;
  }
  await storeAnswers();
  const [left] = waiting.keys();
  if (left !== undefined) throw new Error(`the source did not say what is below ${left}`);
  return heldBack;
}

interface BelowAnswer {
  readonly stub: Stub;
  readonly answer: BelowList | LeftOut;
}

async function storeSome(
  answers: readonly BelowAnswer[],
  { storeBatch, rowsBelow, mayDelete, holdBack, commit, optional }: StoreBelowDeps,
): Promise<number> {
  const decisions: Decision[] = [];
  const listed = new Map<string, ReadonlySet<string>>();
  const items: ChildRecord[] = [];
  const parentOf = new Map<string, string>();
  const broken = new Set<string>();
  for (const { stub, answer } of answers) {
    if (answer.kind !== 'below') {
      decisions.push({ ...answer, stage: 'below' });
      broken.add(stub.id);
      continue;
    }
    const children = answer.children.map((child) => below(stub, child));
    items.push(...children);
    for (const child of children) parentOf.set(idOf(child), stub.id);
    listed.set(stub.id, new Set(children.filter(({ kind }) => kind !== 'skip').map(idOf)));
  }
  const skipped = new Set<string>();
  for await (const batch of batches(asynchronously(items), BATCH)) {
    const stored = await storeBatch(batch);
    for (const id of stored.failed) broken.add(parentOf.get(id) ?? '');
    for (const id of stored.skipped) skipped.add(id);
  }
  // No later sweep deletes what is stored of a skipped record, because it counts as seen from now on.
  const isListed = (parent: string, id: string) => listed.get(parent)?.has(id) && !skipped.has(id);
  const gone = [...(await rowsBelow([...listed.keys()]))].flatMap(([id, rows]) =>
    rows.filter((row) => !isListed(id, recordIdOf(row))),
  );
  const shown = gone.filter((row) => !row.is_hidden);
  const isHeld = !mayDelete(shown.length);
  if (isHeld) {
    for (const { parent } of gone) broken.add(parent ?? '');
    await holdBack(shown.map(({ id }) => id));
  } else decisions.push(...deletesMissing(gone));
  for (const { stub } of answers)
    decisions.push({
      kind: 'below',
      id: stub.id,
      version: broken.has(stub.id) ? null : belowVersion(stub, optional),
    });
  await commit(decisions);
  return isHeld ? shown.length : 0;
}

/** A record below another one is in the same partition. */
function below({ id, partition }: Stub, child: ChildRecord): ChildRecord {
  switch (child.kind) {
    case 'upsert':
      return { ...child, partition, parent: id };
    case 'stub':
      if (child.hasBelow) throw new Error(`${child.id} is below ${id}, so nothing can be below it`);
      return { ...child, partition, parent: id };
    default:
      return child;
  }
}

const idOf = (child: ChildRecord): string => (child.kind === 'upsert' ? child.entity.id : child.id);

const charactersOf = (answer: BelowList | LeftOut): number => {
  if (answer.kind !== 'below') return 0;
  let sum = 0;
  for (const child of answer.children)
    if (child.kind === 'upsert') sum += child.entity.text.length + (child.entity.html?.length ?? 0);
  return sum;
};
