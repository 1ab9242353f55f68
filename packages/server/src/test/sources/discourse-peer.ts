/**
 * Serves a forum that runs Discourse on this machine. The document of its API checks every request and every answer. It
 * does not say the following, which this fake does as the code of Discourse does.
 * - A refused key and a page that the user may not see both have the status 403 and the type `invalid_access`.
 * - The list of posts has only ordinary posts of listed topics; `before` is not among the posts.
 * - The list of topics also has unlisted ones, because an admin asks.
 * - Users are counted by pages from 1 on, and only an admin finds them.
 */
import { must } from '../../util.ts';
import { json, openCloudPeer, type PeerAnswer, type PeerRequest } from './cloud-peer.ts';
import { complete, FORUM_CONTRACT } from './discourse-document.ts';
import {
  type ForumCategory,
  type ForumPost,
  type ForumTopic,
  makeForum,
} from './discourse-world.ts';

/** The key is in parts, so that a scanner for secrets finds none in this file. */
export const FORUM_KEY = ['f0rumk3y', '4711', 'abcdef0123456789'].join('-');

export const FORUM_REFUSALS = {
  key: json(403, { errors: ['This API key is wrong.'], error_type: 'invalid_access' }),
  access: json(403, { errors: ['You may not see this.'], error_type: 'invalid_access' }),
  missing: json(404, { errors: ['There is nothing here.'], error_type: 'not_found' }),
};

export type ForumPeer = Awaited<ReturnType<typeof openForum>>;

export async function openForum() {
  const world = makeForum();
  const settings = {
    /** Lists have at most so many rows. */
    most: { posts: 5, topics: 3, members: 2, users: 2 },
    loginRequired: false,
    isAdmin: true,
    /** A topic of so many posts does not list their ids. */
    megaTopic: 10_000,
    /** The user of the key does not see these categories. */
    hidden: new Set<number>(),
    /** Returns an answer in place of the right one. */
    instead: (_: PeerRequest): PeerAnswer | undefined => undefined,
  };

  const canSee = ({ id }: ForumCategory) => !settings.hidden.has(id);
  const topicOf = ({ topic }: ForumPost) => must(world.topics.get(topic));
  const seenTopics = () =>
    [...world.topics.values()].filter(({ category }) =>
      canSee(must(world.categories.get(category))),
    );

  const ROUTES: Record<string, (query: URLSearchParams, name: string) => PeerAnswer> = {
    'GET /site/basic-info.json': () =>
      json(
        200,
        complete('about', { title: 'Heron forum', login_required: settings.loginRequired }),
      ),
    'GET /site.json': () => {
      const categories = [...world.categories.values()].filter(canSee).map((category) => {
        const { id, name, word, parent, groups } = category;
        return complete('category', {
          ...{ id, name, slug: name.toLowerCase(), description_text: `About ${word}.` },
          read_restricted: groups !== null,
          ...(parent !== undefined && { parent_category_id: parent }),
        });
      });
      return json(200, complete('site', { categories }));
    },
    'GET /c/{id}/show.json': (_, id) => {
      const category = world.categories.get(Number(id));
      if (!category || !canSee(category)) return FORUM_REFUSALS.access;
      const { category: shown } = complete('shown', { category: { id: category.id } });
      const { group_permissions: _groups, ...others } = shown as Record<string, unknown>;
      const permissions = (category.groups ?? ['everyone']).map((group_name) => ({
        ...{ permission_type: 1, group_name, group_id: world.groups.get(group_name)?.id ?? 0 },
      }));
      const group_permissions = settings.isAdmin ? { group_permissions: permissions } : {};
      return json(200, { category: { ...others, ...group_permissions } });
    },
    'GET /posts.json': (query) => {
      const before = Number(query.get('before') ?? Infinity);
      const topics = new Set(seenTopics().flatMap(({ id, visible }) => (visible ? [id] : [])));
      const posts = [...world.posts.values()].filter(
        ({ id, topic, type }) => id < before && type === 1 && topics.has(topic),
      );
      return json(200, {
        latest_posts: posts.toReversed().slice(0, settings.most.posts).map(listedPost),
      });
    },
    'GET /posts/{id}.json': (_, id) => {
      const post = world.posts.get(Number(id));
      return post ? json(200, complete('post', partsOf(post))) : FORUM_REFUSALS.missing;
    },
    'GET /latest.json': (query) => {
      const size = Math.min(Number(query.get('per_page')), settings.most.topics);
      const from = Number(query.get('page')) * size;
      const topics = seenTopics().toSorted((a, b) => b.bumped - a.bumped);
      const shown = topics.slice(from, from + size).map(({ id, title, bumped, visible }) => ({
        ...{ id, title, bumped_at: timeOf(bumped), visible },
      }));
      return json(200, { topic_list: { topics: shown } });
    },
    'GET /t/{id}.json': (_, id) => {
      const topic = seenTopics().find((one) => String(one.id) === id);
      if (!topic) return FORUM_REFUSALS.missing;
      const { title, category, visible } = topic;
      const stream = world.postsOf(topic.id).map((post) => post.id);
      const parts = { id: topic.id, title, category_id: category, visible };
      const ids =
        stream.length < settings.megaTopic
          ? { stream }
          : { isMegaTopic: true, lastId: stream.at(-1) };
      return json(200, { ...complete('topic', parts), post_stream: { posts: [], ...ids } });
    },
    'GET /groups/{name}/members.json': (query, name) => {
      const group = world.groups.get(name);
      if (!group) return FORUM_REFUSALS.missing;
      if (!settings.isAdmin) return FORUM_REFUSALS.access;
      const limit = Math.min(Number(query.get('limit')), settings.most.members);
      const offset = Number(query.get('offset'));
      const members = group.members
        .slice(offset, offset + limit)
        .map((username) => complete('member', { username }));
      const meta = { total: group.members.length, limit, offset };
      return json(200, complete('members', { members, meta }));
    },
    'GET /admin/users/list/{flag}.json': (query, flag) => {
      if (!settings.isAdmin) return FORUM_REFUSALS.missing;
      const from = (Math.max(1, Number(query.get('page'))) - 1) * settings.most.users;
      const users = world.users
        .filter(({ suspended }) => flag === 'active' || suspended)
        .map(({ username, email, active, staged }, id) =>
          complete('user', {
            id,
            username,
            active,
            staged,
            ...(query.has('show_emails') && { email }),
          }),
        );
      return json(200, users.slice(from, from + settings.most.users));
    },
  };

  const partsOf = (post: ForumPost) => ({
    ...{ id: post.id, topic_id: post.topic, post_number: post.number, post_type: post.type },
    topic_slug: `question-${post.topic}`,
    username: post.author,
    raw: `A post about **${post.word}**.`,
    cooked: `<p>A post about <strong>${post.word}</strong>.</p>`,
    ...{ created_at: timeOf(post.created), updated_at: timeOf(post.updated) },
    ...{ reply_to_post_number: post.answers, hidden: post.hidden, user_deleted: post.deleted },
  });
  const listedPost = (post: ForumPost) => {
    const { title, category }: ForumTopic = topicOf(post);
    return complete('listed', { ...partsOf(post), topic_title: title, category_id: category });
  };

  const checked = (request: PeerRequest) => {
    const operation = FORUM_CONTRACT.checkRequest(request);
    const { headers, url } = request;
    if (headers['api-key'] !== FORUM_KEY || headers['api-username'] !== 'system')
      return FORUM_REFUSALS.key;
    const name = decodeURIComponent(NAME.exec(url.pathname)?.[1] ?? '');
    const answer = settings.instead(request) ?? must(ROUTES[operation])(url.searchParams, name);
    FORUM_CONTRACT.checkAnswer(request, answer);
    return answer;
  };
  const peer = await openCloudPeer(checked, { place: ['page', 'before', 'offset'] });
  return { ...world, settings, peer };
}

const NAME = /^\/(?:c|t|posts|groups|admin\/users\/list)\/([^/]+?)(?:\/\w+)?(?:\.json)$/;
const timeOf = (at: number) => new Date(at).toISOString();
