/**
 * Pulls the chosen repositories one after the other.
 *
 * A full pull lists everything. It goes on in the middle of a repository when it is interrupted, because a large
 * repository needs more requests than GitHub allows in an hour. An incremental pull asks each repository for what has
 * changed. It copies a repository whole when it is new, and when all of its records have changed with its name or
 * visibility.
 */
import { z } from 'zod';
import { bookmark, checkpoint, type SourceItem, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { part, unlessLost } from '../kit/listing.ts';
import { choose } from './choose.ts';
import type { GitHubConfig } from './config.ts';
import { repositoryEntity } from './entities.ts';
import { files, type TreeSha } from './files.ts';
import { timeOf } from './lists.ts';
import { type Chosen, frameOf, type GitHubItems, issuesOf } from './repository.ts';
import { allThreads, changedThreads, START, STEPS, type Threads } from './threads.ts';

/** A change may become visible this much later than its time says. */
const OVERLAP_MS = 60_000;

/**
 * An incremental pull stores its cursor only after this many repositories, because each cursor has the states of all
 * repositories.
 */
const REPOSITORIES_PER_CHECKPOINT = 20;

const Tree = z.string().nullable();

const RepositoryState = z.strictObject({
  /**
   * The next pull asks for issues and comments that have changed since this time. With null it asks for all of them,
   * because GitHub has refused to list them.
   */
  since: z.string().nullable(),
  /** When this text changes (see `frameOf`), all records of the repository are written again. */
  frame: z.string(),
  /**
   * The tree of the branch is asked for again when the time of the last push has changed. It is null when the last push
   * was too recent: GitHub's times have whole seconds, so a later push may have the same time.
   */
  pushedAt: z.string().nullable(),
  /** It is missing when the files could not be listed. */
  tree: Tree.optional(),
});
type RepositoryState = z.infer<typeof RepositoryState>;

const States = z.record(z.string(), RepositoryState);

/** The keys are the ids of the repositories. */
export const Cursor = z.strictObject({ repositories: States });
export type Cursor = z.infer<typeof Cursor>;

/** An interrupted full pull goes on here. */
const Place = z.strictObject({
  done: States,
  within: z
    .strictObject({
      id: z.number(),
      since: z.string(),
      /** It is missing when the files could not be listed. */
      tree: Tree.optional(),
      threads: z.strictObject({ step: z.enum(STEPS), place: z.string().nullable() }),
    })
    .nullable(),
});
type Within = NonNullable<z.infer<typeof Place>['within']>;

interface ChosenPull {
  readonly http: Http;
  readonly config: GitHubConfig;
  readonly cursor: Cursor | null;
  readonly bookmark: unknown;
}

export async function* pull(ctx: ChosenPull): GitHubItems {
  const { http, config, cursor } = ctx;
  const { repositories, missing, at } = await choose(http, config);
  yield* missing;
  const since = timeOf(at - OVERLAP_MS);
  yield* cursor
    ? changes(ctx, { cursor, repositories, since })
    : everything(ctx, repositories, since);
}

async function* everything(
  ctx: ChosenPull,
  repositories: readonly Chosen[],
  since: string,
): GitHubItems {
  const { done, within } = Place.parse(ctx.bookmark ?? { done: {}, within: null });
  for (const chosen of repositories) {
    const { id } = chosen.repository;
    if (id in done) continue;
    const from = within?.id === id ? within : { id, since };
    const mark = (place: Within) => bookmark({ done: { ...done }, within: place });
    done[id] = yield* whole(ctx, chosen, { from, mark });
    yield bookmark({ done: { ...done }, within: null });
  }
  yield checkpoint({ repositories: done });
}

interface Since {
  readonly cursor: Cursor;
  readonly repositories: readonly Chosen[];
  readonly since: string;
}

async function* changes(ctx: ChosenPull, { cursor, repositories, since }: Since): GitHubItems {
  const states = { ...cursor.repositories };
  for (const [i, chosen] of repositories.entries()) {
    const { id } = chosen.repository;
    const known = states[id];
    states[id] =
      known?.frame === frameIn(ctx.config, chosen)
        ? yield* changesIn(ctx, chosen, { known, since })
        : yield* whole(ctx, chosen, { from: { id, since } });
    if ((i + 1) % REPOSITORIES_PER_CHECKPOINT === 0)
      yield checkpoint({ repositories: { ...states } });
  }
  yield checkpoint({ repositories: states });
}

interface Way {
  readonly from: Pick<Within, 'id' | 'since'> & Partial<Within>;
  /** Only a full pull has this function. It makes a bookmark in the middle of a repository. */
  readonly mark?: (within: Within) => SourceItem;
}

/** Yields all records of a repository. */
async function* whole(
  ctx: ChosenPull,
  chosen: Chosen,
  { from, mark }: Way,
): GitHubItems<RepositoryState> {
  const { id, since } = from;
  let { tree } = from;
  if (!from.threads) {
    yield* part(chosen.partition, itself(chosen));
    tree = yield* filesIn(ctx, chosen);
  }
  const threads = allThreads(threadsIn(ctx, chosen), {
    from: from.threads ?? START,
    mark: mark && ((at) => mark({ id, since, tree, threads: at })),
  });
  const isListed = yield* part(issuesOf(chosen), threads);
  return stateOf(ctx, chosen, { since: isListed ? since : null, tree, begun: since });
}

/** Yields what has changed in a repository. */
async function* changesIn(
  ctx: ChosenPull,
  chosen: Chosen,
  { known, since }: { readonly known: RepositoryState; readonly since: string },
): GitHubItems<RepositoryState> {
  yield* itself(chosen);
  const isPushed = known.tree === undefined || known.pushedAt !== chosen.repository.pushed_at;
  const tree = isPushed ? yield* filesIn(ctx, chosen, known.tree) : known.tree;
  const threads =
    known.since === null
      ? allThreads(threadsIn(ctx, chosen), { from: START })
      : changedThreads(threadsIn(ctx, chosen), known.since);
  const isListed = yield* unlessLost(issuesOf(chosen), threads);
  return stateOf(ctx, chosen, { since: isListed ? since : known.since, tree, begun: since });
}

async function* itself({ repository, partition }: Chosen): GitHubItems {
  yield upsert(repositoryEntity(repository), { partition });
}

async function* filesIn(
  { http, config }: ChosenPull,
  chosen: Chosen,
  known?: TreeSha,
): GitHubItems<TreeSha | undefined> {
  if (!config.kinds.includes('files')) return null;
  return yield* files(http, chosen, { branch: branchIn(config, chosen), known });
}

const threadsIn = ({ http, config: { kinds } }: ChosenPull, chosen: Chosen): Threads => ({
  http,
  chosen,
  kinds,
});

interface PulledRepository extends Pick<RepositoryState, 'since' | 'tree'> {
  /** A push from this time on may have been made after the tree was listed. */
  readonly begun: string;
}

function stateOf(
  { config }: ChosenPull,
  chosen: Chosen,
  { since, tree, begun }: PulledRepository,
): RepositoryState {
  const { pushed_at: pushedAt = null } = chosen.repository;
  return {
    since,
    frame: frameIn(config, chosen),
    pushedAt: pushedAt !== null && pushedAt < begun ? pushedAt : null,
    ...(tree !== undefined && { tree }),
  };
}

const branchIn = ({ branch }: GitHubConfig, { repository }: Chosen): string =>
  branch ?? repository.default_branch;

const frameIn = (config: GitHubConfig, chosen: Chosen): string =>
  `${branchIn(config, chosen)} ${frameOf(chosen.repository)}`;
