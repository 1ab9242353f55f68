/** Compares a committed state of a connection with the next: each difference must have its reason. */
import type { Entity } from '../../../model/entity.ts';
import { must } from '../../../util.ts';
import { hold, same } from '../../random/violation.ts';
import { aboveOf } from '../company.ts';
import { cameUp, idsIn, lastWord, maySweep, maySweepPart, words } from './attempt.ts';
import { contentOf, wrongColumns } from './content.ts';
import { mostToSweep } from './ended.ts';
import {
  configOf,
  countChange,
  countUp,
  type JobView,
  recipeText,
  wordBehind,
} from './job-view.ts';
import type { EntityRow } from './observe.ts';

type Rows = ReadonlyMap<string, EntityRow>;

interface About {
  /** This commit may belong to this job; undefined when its process had no job of this connection. */
  readonly view: JobView | undefined;
  readonly isDeleted: boolean;
  readonly mayDropMuch: boolean;
  /** Tells whether this commit has moved the version of the collection's index. */
  readonly isIndexTold: (collectionId: string) => boolean;
  /** Maps row ids to known contents; the check adds new ones. */
  readonly contents: Map<string, Entity>;
}

export function checkTransition({ before, now }: { before: Rows; now: Rows }, about: About): void {
  for (const [id, row] of now) {
    const old = before.get(id);
    if (!old || !isSame(old, row)) cameOrChanged(old, row, about);
    else if (old.generation !== row.generation) wasSeen(row, { ...about, before });
    const { parent } = row;
    const isLeft = parent !== null && before.has(parent) && !now.has(parent);
    hold(!isLeft || about.isDeleted, 'what is below a record goes with it', () => id);
  }
  for (const [id, row] of before) {
    const { parent } = row;
    const goesWithParent = parent !== null && before.has(parent) && !now.has(parent);
    if (!now.has(id)) went(row, { ...about, goesWithParent });
  }
  const { view } = about;
  if (view?.cursorAt === undefined) return;
  checkUpTo(view, view.cursorAt, now);
  view.upToCursor = view.attempt?.batches.slice(0, view.cursorAt + 1) ?? [];
  view.cursorAt = undefined;
}

const isSame = (a: EntityRow, b: EntityRow) =>
  isReadAlike(a, b) && a.id === b.id && a.partition === b.partition && a.version === b.version;

/** Tells whether searches and their filters read the same from both rows. */
const isReadAlike = (a: EntityRow, b: EntityRow) =>
  a.metadata === b.metadata &&
  a.name === b.name &&
  a.viewers === b.viewers &&
  a.breadcrumbs === b.breadcrumbs &&
  a.entity_type === b.entity_type &&
  a.source_updated_at === b.source_updated_at;

function cameOrChanged(old: EntityRow | undefined, row: EntityRow, about: About): void {
  const { view, contents } = about;
  const id = row.entity_id;
  hold(!about.isDeleted, 'nothing comes into what is deleted', () => id);
  hold(view, 'only the worker with the lease writes', () => `${id} of ${row.connection_id}`);
  const word = wordBehind(view, row);
  hold(word, 'rows are what a source said', () => `${id} with ${row.metadata}, ${row.version}`);
  if (word.entity) contents.set(row.id, word.entity);
  hold(old === undefined || old.id === row.id, 'a record keeps its id', () => id);
  if (view.row.trigger !== 'push')
    same(row.parent, aboveOf(id), 'a row knows what is above it', id);
  if (old && !isReadAlike(old, row))
    hold(about.isIndexTold(row.collection_id), 'readers of the index learn of changes', () => id);
  if (old && contentOf(old) === contentOf(row)) {
    countUp(view, must(view.attempt), id);
    return;
  }
  same(recipeText(row), configOf(view.row).recipe, 'the recipe is that of the configuration', id);
  countChange(view, id, old === undefined);
}

/** The content has not changed, but this pull has yielded the record, or a failure of it. */
function wasSeen(row: EntityRow, { view, before }: About & { readonly before: Rows }): void {
  const id = row.entity_id;
  hold(
    view?.attempt,
    'only the worker with the lease writes',
    () => `${id} of ${row.connection_id}`,
  );
  same(row.generation, view.row.generation, 'only the worker with the lease writes', id);
  hold(cameUp(view.attempt, id), 'what is marked as seen came up', () => id);
  countUp(view, view.attempt, id);
  if (row.parent === null || words(view.attempt, id).some(({ kind }) => kind !== 'kept')) return;
  const versions = words(view.attempt, row.parent).flatMap((word) =>
    word.kind === 'upsert' || word.kind === 'stub' ? word.version : [],
  );
  const noted = before.get(row.parent)?.below_version;
  hold(
    versions.some((version) => noted?.endsWith(` ${version}`)),
    'only what is below an unchanged record is seen with it',
    () => `${id} at ${noted}`,
  );
}

function went(row: EntityRow, about: About & { readonly goesWithParent: boolean }): void {
  const { view } = about;
  const id = row.entity_id;
  if (about.isDeleted) return;
  hold(
    view?.attempt,
    'only the worker with the lease writes',
    () => `${id} of ${row.connection_id}`,
  );
  about.contents.delete(row.id);
  view.deleted++;
  view.fates.delete(id);
  if (words(view.attempt, id).some(({ kind }) => kind === 'remove')) return;
  // A record that was left out when everything below its parent was listed is deleted as if it had not come up.
  const isMissing = words(view.attempt, id).some(
    ({ kind }) => kind === 'missing' || (kind === 'skip' && row.parent !== null),
  );
  if (!isMissing) checkSwept(row, view, about.goesWithParent);
  view.swept++;
  hold(
    view.swept <= mostToSweep(view) || view.row.accept_deletions || about.mayDropMuch,
    'no false deletion: so many at once must be confirmed',
    () => `${view.swept} of ${view.known}`,
  );
}

/**
 * The record above may have moved, and may be gone before the records below it are read at their new place. Then they go
 * with it from their old one.
 */
function checkSwept(row: EntityRow, view: JobView, goesWithParent: boolean): void {
  const id = row.entity_id;
  const attempt = must(view.attempt);
  const where = `${id} of ${JSON.stringify(row.partition)} by job ${view.row.id}`;
  const isListed = (view.row.full ? maySweep : maySweepPart)(attempt, row.partition);
  hold(isListed || goesWithParent, 'no false deletion: it was not listed', () => where);
  hold(!cameUp(attempt, id), 'no false deletion: it came up', () => where);
}

/**
 * Everything before a stored cursor must be stored when the cursor is, and what was gone in the parts that were listed
 * whole must be deleted, because an incremental pull from the cursor on would not list these parts again.
 */
function checkUpTo(view: JobView, at: number, now: Rows): void {
  const { attempt } = view;
  const said = new Map<string, ReturnType<typeof lastWord>>();
  hold(attempt, 'only a sync moves its cursor', () => '');
  for (const batch of attempt.batches.slice(0, at + 1))
    for (const id of idsIn(batch)) {
      const word = lastWord(batch, id);
      if (word?.kind !== 'skip' && word?.kind !== 'fail') said.set(id, word);
    }
  for (const [id, word] of said) {
    const row = now.get(id);
    const rule = 'a cursor never runs ahead of its records';
    if (word?.kind === 'remove') hold(!row, rule, () => `${id} was removed`);
    else if (word?.kind === 'upsert')
      same(row && wrongColumns(row, word.entity).join(), '', rule, id);
  }
  const before = { ...attempt, batches: attempt.batches.slice(0, at + 1) };
  const left = [...now.values()].filter(
    (row) => !cameUp(attempt, row.entity_id) && maySweepPart(before, row.partition),
  );
  const isHeld = !view.row.accept_deletions && left.length + view.swept > mostToSweep(view);
  hold(left.length === 0 || isHeld, 'a cursor never runs ahead of its deletions', () =>
    left.map((row) => row.entity_id).join(),
  );
}
