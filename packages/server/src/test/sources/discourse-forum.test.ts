/** Tests what is special about forums: their order, kinds of posts, and changes that Discourse hardly tells. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { discourse } from '../../sources/catalog/discourse.ts';
import { must } from '../../util.ts';
import { fill } from './discourse-company.ts';
import {
  cursorOf,
  entityOf,
  forum,
  idsOf,
  isKind,
  pull,
  settings,
  useForum,
} from './discourse-house.ts';
import { FORUM_REFUSALS } from './discourse-peer.ts';
import { contextOf, entitiesOf, itemsOf, lastCursor, pullOf } from './harness.ts';

describe('the posts of a Discourse forum', () => {
  useForum();

  it('makes a topic of a first post, and a post of every other one, with the Markdown of their authors', async () => {
    const { id } = forum.addCategory('Team');
    const below = forum.addCategory('Plans', { parent: id });
    const topic = forum.addTopic(below.id);
    const post = forum.addPost(topic, { author: 'bob', answers: 1 });
    const [, , second, first] = entitiesOf(await pull());
    const trail = [
      { id: 'category/1', name: 'Team', type: 'DiscourseCategory' },
      { id: 'category/2', name: 'Plans', type: 'DiscourseCategory' },
    ];
    assert.ok(first);
    assert.match(first.text, /\*\*\w+\*\*/);
    assert.deepEqual(first, {
      id: 'topic/1',
      type: 'DiscourseTopic',
      name: 'Question 1',
      text: first.text,
      url: `${forum.peer.baseUrl}/t/question-1/1`,
      breadcrumbs: trail,
      createdAt: new Date('2026-01-01T00:00:01Z'),
      updatedAt: new Date('2026-01-01T00:00:01Z'),
      access: { viewers: null, isPublic: true },
      fields: { author: 'ann', category: 'Plans' },
    });
    assert.equal(second?.id, `post/${post.id}`);
    assert.equal(second.name, 'Question 1 (2)');
    assert.equal(second.url, `${forum.peer.baseUrl}/t/question-1/1/2`);
    assert.deepEqual(second.breadcrumbs, [
      ...trail,
      { id: 'topic/1', name: 'Question 1', type: 'DiscourseTopic' },
    ]);
    assert.deepEqual(second.fields, { author: 'bob', category: 'Plans', number: 2, answers: 1 });
    const category = await entityOf('category/2');
    assert.deepEqual(category.breadcrumbs, trail.slice(0, 1));
    assert.equal(category.url, `${forum.peer.baseUrl}/c/plans/2`);
  });

  it('copies neither unlisted topics, nor notes of the forum and whispers of its staff', async () => {
    const { id } = forum.addCategory('Questions');
    const [closed, whispered] = [forum.addTopic(id), forum.addTopic(id)];
    for (let i = 0; i < 5; i++) forum.addTopic(id);
    const cursor = await cursorOf();
    forum.addPost(closed, { type: 3 });
    forum.addPost(whispered, { type: 4 });
    const unlisted = forum.addTopic(id);
    unlisted.visible = false;
    for (const items of [await pull(), await pull({ cursor })]) {
      const ids = idsOf(items);
      assert.ok(!ids.includes(`topic/${unlisted.id}`));
      assert.deepEqual(
        ids.filter((one) => one.startsWith('post/')),
        [],
      );
    }
  });

  it('no longer shows a post that moderators have hidden, or that its author has deleted', async () => {
    const topic = forum.addTopic(forum.addCategory('Questions').id);
    const hidden = forum.addPost(topic);
    const gone = forum.addPost(topic);
    const cursor = await cursorOf();
    hidden.hidden = true;
    const items = await pull({ cursor });
    assert.deepEqual(
      itemsOf(items, 'skip').map((item) => [item.id, item.reason, item.removes]),
      [[`post/${hidden.id}`, 'hidden by the moderators of the forum', 'record']],
    );
    gone.deleted = true;
    assert.deepEqual(itemsOf(await pull({ cursor }), 'remove'), [
      { kind: 'remove', id: `post/${gone.id}` },
    ]);
  });

  it('asks six times when nothing has changed', async () => {
    fill(forum);
    const cursor = await cursorOf();
    const before = forum.peer.requests.length;
    const items = await pull({ cursor });
    assert.deepEqual(lastCursor(items), cursor);
    assert.deepEqual(
      forum.peer.requests.slice(before).map(({ url }) => url.pathname),
      [
        '/site/basic-info.json',
        '/site.json',
        '/c/2/show.json',
        '/c/3/show.json',
        '/latest.json',
        '/posts.json',
      ],
    );
  });

  it('finds all new posts, and edits of the last posts of topics, with the next incremental pull', async () => {
    fill(forum);
    const cursor = await cursorOf();
    for (const id of [1, 2, 4, 5]) forum.editPost(must(forum.lastOf(id)));
    const topic = must(forum.topics.get(9));
    const added = Array.from({ length: 12 }, () => `post/${forum.addPost(topic).id}`);
    const items = await pull({ cursor });
    const ids = idsOf(items);
    const edited = [1, 2, 4, 5].map((id) => `post/${must(forum.lastOf(id)).id}`);
    for (const id of [...edited, ...added]) assert.ok(ids.includes(id), id);
    const before = forum.peer.requests.length;
    await pull({ cursor: lastCursor(items) });
    const again = forum.peer.requests
      .slice(before)
      .filter(({ url }) => url.pathname.startsWith('/t/'));
    assert.deepEqual(again, [], 'topics were asked for again');
  });

  it('finds an edit of the last post although others have written below it, and asks no new topic', async () => {
    fill(forum);
    const cursor = await cursorOf();
    const post = must(forum.lastOf(1));
    forum.editPost(post);
    for (let i = 0; i < 2; i++) forum.addPost(must(forum.topics.get(1)));
    const { id } = forum.addTopic(1);
    const items = await pull({ cursor });
    const [entity] = entitiesOf(items).filter((one) => one.id === `post/${post.id}`);
    assert.ok(entity?.text.includes(post.word));
    const asked = forum.peer.requests.map(({ url }) => url.pathname);
    assert.ok(!asked.includes(`/t/${id}.json`));
  });

  it('finds the last post of a topic so long that Discourse does not list its posts', async () => {
    fill(forum);
    forum.settings.megaTopic = 5;
    const cursor = await cursorOf();
    const post = must(forum.lastOf(1));
    forum.editPost(post);
    assert.ok(idsOf(await pull({ cursor })).includes(`post/${post.id}`));
  });

  it('finds activity in the same moment as the latest of the sync before', async () => {
    fill(forum);
    const cursor = await cursorOf();
    const [latest] = [...forum.topics.values()]
      .map(({ bumped }) => bumped)
      .toSorted((a, b) => b - a);
    const post = must(forum.lastOf(1));
    forum.editPost(post);
    must(forum.topics.get(1)).bumped = must(latest);
    assert.ok(idsOf(await pull({ cursor })).includes(`post/${post.id}`));
  });

  it('asks for no topic whose newest known post is the newest known one of the forum', async () => {
    fill(forum);
    const post = forum.addPost(must(forum.topics.get(1)));
    const cursor = await cursorOf();
    forum.editPost(post);
    const before = forum.peer.requests.length;
    const found = entitiesOf(await pull({ cursor })).filter(({ id }) => id === `post/${post.id}`);
    assert.deepEqual(
      found.map(({ text }) => text.includes(post.word)),
      [true],
    );
    const asked = forum.peer.requests.slice(before).map(({ url }) => url.pathname);
    assert.ok(!asked.some((path) => path.startsWith('/t/')), asked.join(' '));
  });

  it('finds an edit of an older post with the next full pull', async () => {
    fill(forum);
    const [, , post] = forum.postsOf(1);
    const cursor = await cursorOf();
    forum.editPost(must(post));
    const hasIt = (items: Awaited<ReturnType<typeof pull>>) =>
      entitiesOf(items).some(({ text }) => text.includes(must(post).word));
    assert.equal(hasIt(await pull({ cursor })), false);
    assert.equal(hasIt(await pull()), true);
  });

  it('goes on at its bookmark, and ends with the cursor of its beginning', async () => {
    fill(forum);
    const first: unknown[] = [];
    const seen: string[] = [];
    for await (const item of pullOf(discourse, settings())) {
      if (item.kind === 'upsert') seen.push(item.entity.id);
      if (item.kind === 'bookmark') first.push(item.position);
      if (first.length === 2) break;
    }
    const whole = await pull();
    forum.addTopic(1);
    const rest = await pull({ bookmark: first[1] });
    assert.deepEqual(lastCursor(rest), lastCursor(whole));
    assert.deepEqual(new Set([...seen, ...idsOf(rest)]), new Set(idsOf(whole)));
    assert.ok(idsOf(rest).length < idsOf(whole).length);
  });

  it('copies chosen categories with those below them', async () => {
    fill(forum);
    const ids = idsOf(await pull({}, { categories: ['2'] }));
    assert.ok(ids.includes('category/2') && ids.includes('category/3'));
    assert.ok(ids.includes('topic/4') && ids.includes('topic/7'));
    assert.ok(!ids.includes('category/1') && !ids.includes('topic/1'));
  });

  it('does not take posts of the page before for the next page', async () => {
    fill(forum);
    forum.settings.instead = ({ url }) => {
      url.searchParams.delete('before');
      return undefined;
    };
    await assert.rejects(pull(), isKind('transient'));
  });

  it('is not fooled by an old version of Discourse, which repeats the post that it was asked to begin below', async () => {
    fill(forum);
    forum.settings.instead = ({ url }) => {
      const before = url.searchParams.get('before');
      if (before !== null) url.searchParams.set('before', String(Number(before) + 1));
      return undefined;
    };
    await assert.rejects(pull(), isKind('transient'));
  });

  it('misses no topic that slips to an earlier page of the list', async () => {
    fill(forum);
    const cursor = await cursorOf();
    const edited = [1, 2, 4, 5].map((id) => must(forum.lastOf(id)));
    for (const post of edited) forum.editPost(post);
    // One of the edited topics is the first one of the second page.
    for (let i = 0; i < 3; i++) forum.addTopic(1);
    let slipped = false;
    forum.peer.fault = ({ url }) => {
      if (url.searchParams.get('page') === '1' && !slipped) {
        slipped = true;
        forum.removeTopic(must([...forum.topics.keys()].at(-1)));
      }
      return undefined;
    };
    const ids = idsOf(await pull({ cursor }));
    assert.ok(slipped);
    for (const { id } of edited) assert.ok(ids.includes(`post/${id}`), `post/${id}`);
  });

  it('counts a topic as failed that is refused, and goes on', async () => {
    fill(forum);
    const cursor = await cursorOf();
    forum.editPost(must(forum.lastOf(1)));
    forum.editPost(must(forum.lastOf(2)));
    forum.settings.instead = ({ url }) =>
      url.pathname === '/t/1.json' ? FORUM_REFUSALS.access : undefined;
    const items = await pull({ cursor });
    assert.deepEqual(
      itemsOf(items, 'fail').map(({ id }) => id),
      ['topic/1'],
    );
    assert.ok(idsOf(items).includes(`post/${must(forum.lastOf(2)).id}`));
  });

  it('lists categories as options, and the title of the forum as the account', async () => {
    fill(forum);
    const context = contextOf(discourse, settings());
    const asked = { field: 'categories', query: '', limit: 10 };
    const options = await must(discourse.options)(context, asked);
    assert.deepEqual(
      options.map(({ value, title }) => [value, title]),
      [
        ['1', 'Questions'],
        ['2', 'Team'],
        ['3', 'Heads'],
      ],
    );
    assert.equal(await must(discourse.account)(context), 'Heron forum');
    assert.match(await must(discourse.groupScope)(context), /^127\.0\.0\.1:\d+$/);
  });
});
