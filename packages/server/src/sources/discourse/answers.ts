/** The parts of Discourse's answers that the source uses (https://docs.discourse.org). */
import { z } from 'zod';
import { flag, maybe, some, text } from '../kit/lenient.ts';

const Time = maybe(z.iso.datetime());

export const About = z.object({ title: z.string(), login_required: z.boolean() });

export const Category = z.object({
  id: z.int(),
  name: z.string(),
  slug: text,
  description_text: text,
  read_restricted: z.boolean(),
  parent_category_id: maybe(z.int()),
});
export type Category = z.infer<typeof Category>;
export const Site = z.object({ categories: z.array(Category) });

/** Discourse tells the groups only to those who may edit the category. */
export const CategoryGroups = z.object({
  category: z.object({
    group_permissions: maybe(z.array(z.object({ group_id: z.int(), group_name: z.string() }))),
  }),
});

const PostParts = {
  id: z.int(),
  topic_id: z.int(),
  post_number: z.int(),
  post_type: z.int(),
  topic_slug: text,
  username: text,
  raw: z.string(),
  created_at: Time,
  updated_at: Time,
  reply_to_post_number: maybe(z.int()),
  hidden: flag,
  deleted_at: maybe(z.string()),
  user_deleted: flag,
};
/** A post that is asked for alone does not tell the title and the category of its topic. */
export const PostAlone = z.object(PostParts);
export const Post = z.object({ ...PostParts, topic_title: z.string(), category_id: z.int() });
export type Post = z.infer<typeof Post>;
export const LatestPosts = z.object({ latest_posts: z.array(Post) });

const ListedTopic = z.object({ id: z.int(), bumped_at: z.iso.datetime() });
export const TopicList = z.object({ topic_list: z.object({ topics: z.array(ListedTopic) }) });
export const Topic = z.object({
  title: z.string(),
  category_id: z.int(),
  visible: z.boolean(),
  deleted_at: maybe(z.string()),
  /** The ids of the posts, in their order. A topic of more than 10,000 posts has only the id of its last post. */
  post_stream: z.union([
    z.object({ stream: z.array(z.int()) }).transform(({ stream }) => stream),
    z.object({ lastId: z.int() }).transform(({ lastId }) => [lastId]),
  ]),
});

export const GroupMembers = z.object({
  members: z.array(z.object({ username: z.string() })),
  meta: z.object({ total: z.int(), offset: z.int() }),
});
const ForumMember = z.object({
  username: z.string(),
  email: text,
  active: flag,
  staged: z.boolean(),
});
export type ForumMember = z.infer<typeof ForumMember>;
export const Users = z.array(ForumMember);
/** Errors of Discourse have this form; a limit also tells how long one should wait. */
export const Refusal = z.object({
  errors: some(z.string()),
  error_type: text,
  extras: maybe(z.object({ wait_seconds: z.number() })),
});
