/**
 * Finds posts that were edited. Discourse lists no edits, but when the last post of a topic is edited, the topic comes
 * to the top of the list of topics with the latest activity.
 */
import { SourceError } from '../../errors.ts';
import { fail, type SourceItem } from '../items.ts';
import { counted } from '../kit/counted.ts';
import type { Http } from '../kit/http.ts';
import { PostAlone, Topic, TopicList } from './answers.ts';
import type { ForumReader } from './reader.ts';

/** Discourse allows no more. */
const PER_PAGE = 100;

interface ActiveTopic {
  readonly id: number;
  readonly bumped_at: string;
}

/** Returns the topics with activity at this time or later, the latest first. Times are in ISO 8601, all in UTC. */
export const topicsSince = (http: Http, since: string): Promise<ActiveTopic[]> =>
  counted<ActiveTopic>(
    async (page) => {
      const query = { order: 'activity', per_page: PER_PAGE, page };
      const { value } = await http.json({ path: 'latest.json', query }, TopicList);
      const { topics } = value.topic_list;
      const items = topics.filter(({ bumped_at }) => bumped_at >= since);
      return { items, isLast: topics.length === 0 || items.length < topics.length };
    },
    ({ id, bumped_at }) => `${id} ${bumped_at}`,
  );

/** Returns the time of the latest activity; '' in a forum without topics. */
export async function latestActivity(http: Http): Promise<string> {
  const query = { order: 'activity', per_page: 1, page: 0 };
  const { value } = await http.json({ path: 'latest.json', query }, TopicList);
  return value.topic_list.topics[0]?.bumped_at ?? '';
}

/**
 * Lists the newest post of the topic whose id is at most `upTo`. It was the last post of the topic before others wrote
 * below it, and so its edit brought the topic to the top.
 */
export async function* newestKnownPost(
  http: Http,
  {
    topic,
    upTo,
    forum,
  }: { readonly topic: number; readonly upTo: number; readonly forum: ForumReader },
): AsyncGenerator<SourceItem, void, void> {
  try {
    const { value } = await http.json({ path: `t/${topic}.json` }, Topic);
    const id = value.post_stream.findLast((one) => one <= upTo);
    // The lists of posts do not have the posts of topics that are unlisted.
    if (id === undefined || !value.visible || value.deleted_at !== null) return;
    const { value: post } = await http.json({ path: `posts/${id}.json` }, PostAlone);
    const { title: topic_title, category_id } = value;
    yield* await forum.itemsOf([{ ...post, topic_title, category_id }]);
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    yield fail(`topic/${topic}`, 'DiscourseTopic', error);
  }
}
