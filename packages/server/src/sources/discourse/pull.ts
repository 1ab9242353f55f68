/**
 * Pulls a forum. A full pull lists all posts. An incremental one lists the newest posts down to those that it knows, and
 * in topics with activity the newest post that it knows; edits of other posts, and deletions, are found by the next
 * full pull.
 */
import { SourceError } from '../../errors.ts';
import { bookmark, checkpoint, listed, type SourceItem, skip, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { type Categories, toCategory } from './categories.ts';
import { DiscourseBookmark, type DiscourseConfig, type DiscourseCursor } from './config.ts';
import { type ForumPlace, POSTS, postsBelow } from './posts.ts';
import { type ForumReader, openReader } from './reader.ts';
import { latestActivity, newestKnownPost, topicsSince } from './topics.ts';

const CATEGORIES = 'categories';

interface ForumPull {
  readonly http: Http;
  readonly config: DiscourseConfig;
  readonly cursor: DiscourseCursor | null;
  readonly bookmark: unknown;
}
type ForumItems = AsyncGenerator<SourceItem, void, void>;

export async function* pull({ http, config, cursor, bookmark: at }: ForumPull): ForumItems {
  const forum = await openReader(http, config);
  const viewers = viewersOf(forum.place.categories);
  if (cursor && !isSame(cursor.viewers, viewers))
    throw new SourceError('outdated', 'other people than before may see some categories');
  yield* itemsOfCategories(forum.place);
  if (cursor) yield* changes(http, forum, { ...cursor, viewers });
  else yield* everything(http, forum, { viewers, at });
}

function* itemsOfCategories(place: ForumPlace): Generator<SourceItem, void, void> {
  const { chosen, groups } = place.categories;
  for (const category of chosen.values()) {
    yield upsert(toCategory(category, place), { partition: CATEGORIES });
    if (groups.get(category.id) === null)
      yield skip(`category/${category.id}/readers`, 'DiscourseCategory', {
        reason: 'whose readers are unknown',
        detail: category.name,
        hint: 'Searches with X-Principals do not find the records of this category. Discourse tells its groups only to users who may edit the category: take the key of an admin.',
      });
  }
  yield listed(CATEGORIES);
}

/** The cursor is made before the first post is listed, so that later changes come with the next pull. */
async function* everything(
  http: Http,
  forum: ForumReader,
  { viewers, at }: { readonly viewers: DiscourseCursor['viewers']; readonly at: unknown },
): ForumItems {
  const begun = at === null ? null : DiscourseBookmark.parse(at);
  let cursor = begun?.cursor ?? null;
  const bumped = cursor?.bumped ?? (await latestActivity(http));
  for await (const { page, next } of postsBelow(http, begun?.before ?? null)) {
    cursor ??= { post: newestOf(page), bumped, viewers };
    yield* await forum.itemsOf(page);
    if (next !== null) yield bookmark({ before: next, cursor });
  }
  yield listed(POSTS);
  yield checkpoint(cursor);
}

async function* changes(http: Http, forum: ForumReader, cursor: DiscourseCursor): ForumItems {
  const active = await topicsSince(http, cursor.bumped);
  let newest = cursor.post;
  /**
   * The newest of the known posts of these topics was listed, because posts come from the newest on; or the topics are
   * new, and have no known post.
   */
  const met = new Set<number>();
  for await (const { page, next } of postsBelow(http, null)) {
    newest = Math.max(newest, newestOf(page));
    for (const { id, topic_id, post_number } of page)
      if (id <= cursor.post || post_number === 1) met.add(topic_id);
    yield* await forum.itemsOf(page);
    if (next !== null && next <= cursor.post) break;
  }
  for (const { id } of active)
    if (!met.has(id)) yield* newestKnownPost(http, { topic: id, upTo: cursor.post, forum });
  const bumped = active[0]?.bumped_at ?? cursor.bumped;
  yield checkpoint({ ...cursor, post: newest, bumped });
}

const newestOf = (posts: readonly { readonly id: number }[]): number =>
  Math.max(0, ...posts.map(({ id }) => id));

const viewersOf = ({ chosen, accessOf }: Categories): Record<string, string> =>
  Object.fromEntries(
    [...chosen].map(([id, category]) => [id, JSON.stringify(accessOf(category).viewers)]),
  );

/** New categories make no difference, because their posts are new. */
const isSame = (before: Record<string, string>, now: Record<string, string>): boolean =>
  Object.entries(before).every(([id, viewers]) => now[id] === viewers);
