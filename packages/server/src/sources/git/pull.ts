/** Lists the files of a branch, or what has changed between the commit of the cursor and the newest one. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { PullContext } from '../define.ts';
import { createRules } from '../files/rules.ts';
import { checkpoint, listed, remove, type SourceItem, skip, stub } from '../items.ts';
import type { GitConfig, GitCredentials } from './config.ts';
import { checkSize } from './count.ts';
import { ObjectGone } from './failure.ts';
import { type ListedFile, TYPE, versionOf } from './read.ts';
import { type GitRepository, openRepository, type Tip } from './repository.ts';
import { changesBetween, type TreeChange } from './walk.ts';

export const GitCursor = z.strictObject({ commit: z.string() });
type GitCursor = z.infer<typeof GitCursor>;

const ROOT = '';

export async function* pull(
  ctx: PullContext<GitConfig, GitCredentials | null, GitCursor>,
): AsyncGenerator<SourceItem, void, void> {
  const { cursor, config, signal } = ctx;
  const repository = await openRepository(ctx);
  const tip = await repository.tip();
  if (!tip) {
    // A full pull asks a person before it deletes many records.
    if (cursor) throw new SourceError('outdated', 'the repository is empty now');
    yield listed(ROOT);
    return;
  }
  const old = cursor?.commit ?? null;
  if (old === tip.commit) return;
  await fetchBoth(repository, tip, old);
  await using objects = repository.open();
  await checkSize(objects, tip.commit);
  const rules = createRules(config);
  for await (const change of changesBetween(objects, rules, { old, now: tip.commit })) {
    signal.throwIfAborted();
    yield itemOf(change, { repository, branch: tip.branch, config });
  }
  if (old === null) yield listed(ROOT);
  yield checkpoint({ commit: tip.commit } satisfies GitCursor);
}

async function fetchBoth(repository: GitRepository, tip: Tip, old: string | null): Promise<void> {
  try {
    await repository.fetchCommits(old === null ? [tip.commit] : [tip.commit, old]);
  } catch (error) {
    if (old === null || !(error instanceof ObjectGone)) throw error;
    throw new SourceError('outdated', 'the server no longer has the commit of the last sync', {
      cause: error,
    });
  }
}

function itemOf(
  change: TreeChange,
  of: Pick<ListedFile, 'repository' | 'branch'> & { readonly config: GitConfig },
): SourceItem {
  const { path } = change;
  if (change.is === 'gone') return remove(path);
  if (change.is === 'omitted') return skip(path, TYPE, { ...change.omission, removes: 'record' });
  const { oid, isNamed } = change;
  const carry: ListedFile = { repository: of.repository, branch: of.branch, oid, isNamed };
  return stub(path, TYPE, { version: versionOf(oid, of), partition: ROOT, carry });
}
