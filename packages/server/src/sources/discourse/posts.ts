/**
 * Lists posts. Discourse lists all posts of the forum from the newest to the oldest, below an id. Ids never change, so
 * this order holds still while others write and delete, in contrast to the pages of its lists of topics.
 */
import { SourceError } from '../../errors.ts';
import type { Entity } from '../../model/entity.ts';
import { remove, type SourceItem, skip, upsert } from '../items.ts';
import type { Http } from '../kit/http.ts';
import { pages } from '../kit/listing.ts';
import { type Category, LatestPosts, type Post } from './answers.ts';
import type { Categories } from './categories.ts';

/** Posts of other types are notes of the forum itself, such as 'closed this topic', or whispers among its staff. */
const REGULAR = 1;
export const POSTS = 'posts';
const HIDDEN = 'hidden by the moderators of the forum';
const UNLISTED = 'in a category that the forum does not list';

export async function* postsBelow(http: Http, from: number | null) {
  yield* pages<Post[], number>(from, async (before) => {
    const request = { path: 'posts.json', query: { before: before ?? undefined } };
    const { value } = await http.json(request, LatestPosts);
    const posts = value.latest_posts;
    // Old versions of Discourse list a window of ids, which may be empty in the middle of the list. They also repeat
    // the post with the id itself, by which they are recognized.
    if (before !== null && posts.some(({ id }) => id >= before))
      throw new SourceError(
        'transient',
        `the forum listed posts from ${before} on, although those before it were asked for`,
        { hint: 'If this comes again and again, update Discourse.' },
      );
    return { page: posts, next: posts.length > 0 ? Math.min(...posts.map(({ id }) => id)) : null };
  });
}

export interface ForumPlace {
  readonly url: string;
  readonly categories: Categories;
  /** All categories are copied, not only chosen ones. */
  readonly isWhole: boolean;
}

export function toItems(post: Post, place: ForumPlace): SourceItem[] {
  if (post.post_type !== REGULAR) return [];
  const { all, chosen } = place.categories;
  const category = chosen.get(post.category_id);
  if (!category && (all.has(post.category_id) || !place.isWhole)) return [];
  const isFirst = post.post_number === 1;
  const id = isFirst ? `topic/${post.topic_id}` : `post/${post.id}`;
  const type = isFirst ? 'DiscourseTopic' : 'DiscoursePost';
  if (post.deleted_at !== null || post.user_deleted) return [remove(id)];
  if (post.hidden) return [skip(id, type, { reason: HIDDEN, removes: 'record' })];
  // Nobody knows who may see it.
  if (!category) return [skip(id, type, { reason: UNLISTED, removes: 'record' })];
  const { url, ...parts } = common(post, { category, place });
  const entity: Entity = isFirst
    ? { ...parts, id, type, url, name: post.topic_title }
    : { ...parts, id, type, ...ofAnswer(post, { ...parts, url }) };
  return [upsert(entity, { partition: POSTS })];
}

const common = (
  post: Post,
  { category, place }: { readonly category: Category; readonly place: ForumPlace },
) => ({
  text: post.raw,
  url: `${place.url}/t/${post.topic_slug || '-'}/${post.topic_id}`,
  breadcrumbs: place.categories.pathOf(category.id),
  ...(post.created_at !== null && { createdAt: new Date(post.created_at) }),
  ...(post.updated_at !== null && { updatedAt: new Date(post.updated_at) }),
  access: place.categories.accessOf(category),
  fields: { author: post.username, category: category.name },
});

/** The first post of a topic is the text of the topic; all others are below it. */
const ofAnswer = (
  post: Post,
  { url, breadcrumbs, fields }: Pick<ReturnType<typeof common>, 'url' | 'breadcrumbs' | 'fields'>,
) => ({
  name: `${post.topic_title} (${post.post_number})`,
  url: `${url}/${post.post_number}`,
  breadcrumbs: [
    ...breadcrumbs,
    { id: `topic/${post.topic_id}`, name: post.topic_title, type: 'DiscourseTopic' },
  ],
  fields: { ...fields, number: post.post_number, answers: post.reply_to_post_number },
});
