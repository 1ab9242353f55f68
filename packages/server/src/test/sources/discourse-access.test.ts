/** Tests who may find the records of a forum. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { discourse } from '../../sources/catalog/discourse.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { fill } from './discourse-company.ts';
import {
  cursorOf,
  entityOf,
  forum,
  idsOf,
  isKind,
  membersOf,
  pull,
  settings,
  useForum,
} from './discourse-house.ts';
import { FORUM_REFUSALS } from './discourse-peer.ts';
import { entitiesOf, itemsOf, lastCursor, membershipsOf } from './harness.ts';

describe('who may find the posts of a Discourse forum', () => {
  useForum();

  it('shows an open forum to everybody, and one that wants a login to its users', async () => {
    fill(forum);
    assert.deepEqual((await entityOf('topic/1')).access, { viewers: null, isPublic: true });
    forum.settings.loginRequired = true;
    const users = { viewers: ['group:users'], isPublic: false };
    assert.deepEqual((await entityOf('topic/1')).access, users);
    assert.deepEqual((await entityOf('category/1')).access, users);
    assert.ok((await membersOf()).includes('group:users user:ann@example.org'));
  });

  it('shows a restricted category to its groups alone, and names their members', async () => {
    fill(forum);
    forum.settings.loginRequired = true;
    const team = { viewers: ['group:41'], isPublic: false };
    assert.deepEqual((await entityOf('topic/4')).access, team);
    assert.deepEqual((await entityOf('category/2')).access, team);
    assert.deepEqual((await entityOf('topic/7')).access, {
      viewers: ['group:42'],
      isPublic: false,
    });
    forum.settings.loginRequired = false;
    assert.deepEqual(await membersOf(), [
      'group:41 user:ann@example.org',
      'group:41 user:bob@example.org',
      'group:41 user:cy@example.org',
      'group:42 user:bob@example.org',
    ]);
  });

  it('counts nobody as a member who may not sign in', async () => {
    forum.addCategory('Team', { groups: ['team'] });
    forum.addGroup('team', ['ann', 'bob', 'cy', 'di']);
    forum.addUser('ann');
    forum.addUser('bob', { active: false });
    forum.addUser('cy', { staged: true });
    forum.addUser('di', { suspended: true });
    assert.deepEqual(await membersOf(), ['group:41 user:ann@example.org']);
  });

  it('asks for no members when everybody sees everything', async () => {
    forum.addTopic(forum.addCategory('Questions').id);
    assert.deepEqual(await membersOf(), []);
    assert.deepEqual(
      forum.peer.requests.map(({ url }) => url.pathname),
      ['/site/basic-info.json', '/site.json'],
    );
  });

  it('shows a restricted category to nobody when the user may not know its groups, and says so', async () => {
    fill(forum);
    forum.settings.isAdmin = false;
    const items = await pull();
    const [first] = entitiesOf(items).filter(({ id }) => id === 'topic/4');
    assert.deepEqual(first?.access, { viewers: [], isPublic: false });
    const unknown = itemsOf(items, 'skip').map(({ id, reason }) => `${id}: ${reason}`);
    assert.deepEqual(unknown, [
      'category/2/readers: whose readers are unknown',
      'category/3/readers: whose readers are unknown',
    ]);
    assert.deepEqual(await membersOf(), []);
    forum.settings.loginRequired = true;
    const { memberships, skipped } = await membershipsOf(discourse, settings());
    assert.deepEqual(memberships, []);
    assert.deepEqual(
      skipped.map(({ id, reason }) => `${id}: ${reason}`),
      ['users: whose members are unknown'],
    );
  });

  it('shows a restricted category to nobody when Discourse refuses its page', async () => {
    fill(forum);
    forum.settings.instead = ({ url }) =>
      url.pathname.startsWith('/c/') ? FORUM_REFUSALS.access : undefined;
    assert.deepEqual((await entityOf('topic/4')).access, { viewers: [], isPublic: false });
    assert.deepEqual((await entityOf('topic/1')).access, { viewers: null, isPublic: true });
    const skipped = itemsOf(await pull(), 'skip').map(({ id }) => id);
    assert.deepEqual(skipped, ['category/2/readers', 'category/3/readers']);
  });

  it('begins from the start when other people may see a category, but not for a new category', async () => {
    fill(forum);
    const cursor = await cursorOf();
    forum.addCategory('News', { groups: ['team'] });
    const next = lastCursor(await pull({ cursor }));
    const team = must(forum.categories.get(2));
    for (const groups of [['team', 'heads'], ['heads'], null]) {
      team.groups = groups;
      await assert.rejects(pull({ cursor: next }), isKind('outdated'));
    }
    team.groups = ['team'];
    await pull({ cursor: next });
    forum.settings.hidden.add(2);
    await assert.rejects(pull({ cursor: next }), isKind('outdated'));
  });

  it('gives the posts in a category that was made meanwhile to those who may see it', async () => {
    fill(forum);
    let made = 0;
    forum.peer.fault = ({ url }) => {
      if (url.pathname === '/posts.json' && made === 0) {
        made = forum.addCategory('New', { groups: ['heads'] }).id;
        forum.addTopic(made);
      }
      return undefined;
    };
    const found = entitiesOf(await pull()).find(({ id }) => id === 'topic/10');
    assert.deepEqual(found?.access, { viewers: ['group:42'], isPublic: false });
    assert.equal(found.breadcrumbs?.[0]?.name, 'New');
  });

  it('leaves out posts in a category that the forum never lists', async () => {
    fill(forum);
    forum.settings.instead = ({ url }) => {
      if (url.pathname !== '/site.json') return undefined;
      forum.settings.hidden.add(3);
      setImmediate(() => forum.settings.hidden.clear());
      return undefined;
    };
    const before = forum.peer.requests.length;
    const items = await pull();
    assert.ok(!idsOf(items).some((id) => id === 'topic/7'));
    const skipped = itemsOf(items, 'skip').filter(({ id }) => id === 'topic/7');
    assert.deepEqual(
      skipped.map(({ reason }) => reason),
      ['in a category that the forum does not list'],
    );
    const sites = forum.peer.requests
      .slice(before)
      .filter(({ url }) => url.pathname === '/site.json');
    assert.equal(sites.length, 2);
  });

  it('takes a visitor without a login for refused credentials', async () => {
    forum.settings.instead = () =>
      json(403, { errors: ['Sign in first.'], error_type: 'not_logged_in' });
    await assert.rejects(pull(), isKind('auth'));
  });
});
