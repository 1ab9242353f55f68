/** A company with a forum, and how it changes. */
import { must } from '../../util.ts';
import { type CloudCompany, newWord } from './cloud-company.ts';
import { json } from './cloud-peer.ts';
import { FORUM_KEY, FORUM_REFUSALS, type ForumPeer, openForum } from './discourse-peer.ts';
import type { ForumPost } from './discourse-world.ts';

export const FORUM_CREDENTIALS = { api_key: FORUM_KEY, api_username: 'system' };

export async function openDiscourseCompany(): Promise<CloudCompany> {
  const forum = await openForum();
  fill(forum);
  let turn = 0;
  const topics = () => [...forum.topics.values()];
  const later = () => [...forum.posts.values()].filter(({ number }) => number > 1);
  const remove = (post: ForumPost | undefined) => post && forum.removePost(post);

  /** A service shows edits of the last posts of topics, and of categories. */
  const EDITS = [
    () => forum.lastOf(topics().find(({ id }) => forum.postsOf(id).length > 1)?.id ?? 0),
    () => forum.lastOf(topics().find(({ id }) => forum.postsOf(id).length === 1)?.id ?? 0),
    () => {
      const [category] = forum.categories.values();
      if (category) category.word = newWord();
      return undefined;
    },
  ];
  return {
    peer: forum.peer,
    config: { url: forum.peer.baseUrl },
    credentials: FORUM_CREDENTIALS,
    refusals: {
      unauthorized: FORUM_REFUSALS.key,
      rateLimited: [
        json(429, {
          errors: ['Too many requests.'],
          error_type: 'rate_limit',
          extras: { wait_seconds: 3600, time_left: 'an hour' },
        }),
        {
          status: 429,
          headers: { 'content-type': 'text/plain', 'retry-after': '3600' },
          body: 'Too many requests.',
        },
      ],
      serverError: {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<h1>The forum is being updated.</h1>',
      },
    },
    expected: () =>
      new Map([
        ...[...forum.categories.values()].map(({ id, word }) => [`category/${id}`, word] as const),
        ...[...forum.posts.values()].map(({ id, topic, number, word }) => {
          const name = number === 1 ? `topic/${topic}` : `post/${id}`;
          return [name, word] as const;
        }),
      ]),
    edit() {
      const post = must(EDITS[turn++ % EDITS.length])();
      if (post) forum.editPost(post);
    },
    add() {
      const [category] = forum.categories.keys();
      const [topic] = topics();
      if (topic && turn % 2) forum.addPost(topic);
      else if (category !== undefined) forum.addTopic(category);
      turn++;
    },
    remove() {
      turn++;
      if (turn % 3 === 0) remove([...forum.posts.values()].find(({ number }) => number === 1));
      else remove(turn % 3 === 1 ? later()[0] : later().at(-1));
    },
    resync: {
      widen() {
        forum.settings.most = { posts: 50, topics: 30, members: 50, users: 100 };
      },
      grow() {
        const [category] = [...forum.categories.keys()].slice(1);
        const topic = forum.addTopic(must(category));
        for (let i = 0; i < 2; i++) forum.addPost(topic);
      },
      incremental: {
        most: () => 4 + [...forum.categories.values()].filter(({ groups }) => groups).length,
        why: 'who may read a category is told by each category that not everybody may read',
      },
    },
    removeMany() {
      for (const post of later().slice(0, 4)) forum.removePost(post);
    },
    removePart() {
      const id = [...forum.categories.keys()][1];
      if (id === undefined) return;
      for (const topic of topics()) if (topic.category === id) forum.removeTopic(topic.id);
      forum.removeCategory(id);
    },
  };
}

/** Fills the forum with a public category, a restricted one, and one below that. */
export function fill(forum: ForumPeer): void {
  for (const name of ['system', 'ann', 'bob', 'cy', 'di']) forum.addUser(name);
  forum.addGroup('team', ['ann', 'bob', 'cy']);
  forum.addGroup('heads', ['bob']);
  const open = forum.addCategory('Questions');
  const team = forum.addCategory('Team', { groups: ['team'] });
  const heads = forum.addCategory('Heads', { groups: ['heads'], parent: team.id });
  for (const { id } of [open, team, heads]) {
    for (const count of [4, 1, 0]) {
      const topic = forum.addTopic(id);
      for (let i = 0; i < count; i++) forum.addPost(topic, { author: 'bob' });
    }
  }
}
