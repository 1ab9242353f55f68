/** Tests what the source that copies Slack makes of channels, threads, files and members. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { z } from 'zod';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { slackHistory } from '../../sources/catalog/slack-history.ts';
import { checkSettings } from '../../sources/define.ts';
import type { SourceItem } from '../../sources/items.ts';
import type { SlackCursor as SlackCursorSchema } from '../../sources/slack/pull.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import {
  contextOf,
  entitiesOf,
  itemsOf,
  lastCursor,
  membershipsOf,
  type PullOptions,
  pullAll,
} from './harness.ts';
import { openSlackCompany, type SlackCompany } from './slack-company.ts';
import { SIGN_IN_PAGE, slackError } from './slack-peer.ts';
import type { SlackChannel, SlackMessage, SlackRow, SlackUser } from './slack-records.ts';

const DAY = 86_400;
type SlackCursor = z.infer<typeof SlackCursorSchema>;

describe('slack_history', () => {
  let company: SlackCompany;
  beforeEach(async () => {
    company = await openSlackCompany();
    company.settings.largestPage = 1000;
  });
  afterEach(() => company.peer.close());

  const settings = (config: object = {}) => ({
    config,
    credentials: company.credentials,
    operatorBaseUrl: company.peer.baseUrl,
  });
  const pull = (options: PullOptions = {}, config: object = {}) =>
    pullAll(slackHistory, settings(config), options);
  const context = (config: object = {}) => contextOf(slackHistory, settings(config));
  const idOf = ({ id }: SlackChannel, { ts }: SlackMessage) => `${id}/${ts}`;
  const entityOf = (items: readonly SourceItem[], id: string) =>
    must(
      entitiesOf(items).find((one) => one.id === id),
      id,
    );
  const idsOf = (items: readonly SourceItem[]) => new Set(entitiesOf(items).map(({ id }) => id));
  const asked = (method: string, from = 0) =>
    company.peer.requests
      .slice(from)
      .filter(({ url }) => url.pathname === `/api/${method}`)
      .map(({ url }) => Object.fromEntries(url.searchParams));
  /** Changes the answers of a method, as a service does that does not keep its promises. */
  function change(method: string, row: (n: number) => SlackRow): void {
    let n = 0;
    company.peer.fault = ({ url }) =>
      url.pathname === `/api/${method}` ? json(200, { ok: true, ...row(n++) }) : undefined;
  }
  const refuses = (kind: SourceErrorKind, says: RegExp) => (error: unknown) => {
    assert.ok(error instanceof SourceError, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(`${error.message} ${error.hint ?? ''}`, says);
    return true;
  };
  const old = (days: number) => `${Math.floor(Date.now() / 1000) - days * DAY}.000200`;

  it('copies a message with its channel, author and times, and a reply below its thread', async () => {
    const { general, parent, world, staff, design } = company;
    const said = world.post(
      general,
      `*Look*, <@${world.bob.id}> and <!subteam^${staff.id}>: see <#${design.id}>`,
    );
    const reply = world.reply(general, parent, 'I agree');
    const system = world.post(general, 'ann has joined', { subtype: 'channel_join' });
    const items = await pull();
    assert.ok(!idsOf(items).has(idOf(general, system)));
    const seconds = Number(said.ts) * 1000;
    assert.deepEqual(entityOf(items, idOf(general, said)), {
      id: idOf(general, said),
      type: 'SlackMessage',
      name: '**Look**, @bob and @staff: see #design',
      text: '**Look**, @bob and @staff: see #design',
      url: `https://acme.slack.com/archives/${general.id}/p${said.ts.replace('.', '')}`,
      breadcrumbs: [{ id: general.id, name: '#general', type: 'SlackChannel' }],
      createdAt: new Date(seconds),
      updatedAt: new Date(seconds),
      access: { isPublic: false, viewers: ['group:everyone', `group:${general.id}`] },
      fields: { channel: 'general', channel_id: general.id, author: 'ann', thread_ts: null },
    });
    const below = entityOf(items, idOf(general, reply));
    assert.deepEqual(
      [below.fields.thread_ts, below.fields.author, below.breadcrumbs?.at(-1)?.id],
      [parent.ts, 'bob', idOf(general, parent)],
    );
    assert.match(below.url ?? '', new RegExp(`\\?thread_ts=${parent.ts}$`));
  });

  it('leaves out what Slack itself writes', async () => {
    const { general, world } = company;
    const subtypes = ['huddle_thread', 'tabbed_canvas_updated', 'channel_canvas_updated'];
    const posts = subtypes.map((subtype) => world.post(general, 'It says', { subtype }));
    const reply = world.reply(general, must(posts[0]), 'A reply');
    const ids = idsOf(await pull());
    assert.deepEqual(
      posts.filter((post) => ids.has(idOf(general, post))),
      [],
    );
    assert.ok(ids.has(idOf(general, reply)));
  });

  it('names an author of another organization whom the list of people lacks', async () => {
    const { general } = company;
    const authors = async (user_profile: object) => {
      change('conversations.history', () => ({
        messages: [{ ts: '1.000100', text: 'Hello', user: 'W1', user_profile }],
      }));
      const [message] = entitiesOf(await pull({}, { channels: [general.id] }));
      return message?.fields.author;
    };
    assert.equal(await authors({ display_name: 'zoe', real_name: 'Zoe Abroad' }), 'zoe');
    assert.equal(await authors({ display_name: '', real_name: 'Zoe Abroad' }), 'Zoe Abroad');
    assert.equal(await authors({}), 'W1');
  });

  it('asks only for channels of which the app is a member, and for the chosen ones', async () => {
    const { general, design, secret, old: archived } = company;
    const channels = async (config: object = {}) => {
      const from = company.peer.requests.length;
      await pull({}, config);
      return [
        ...new Set(asked('conversations.history', from).map(({ channel }) => channel)),
      ].toSorted();
    };
    const ids = (...all: SlackChannel[]) => all.map(({ id }) => id).toSorted();
    assert.deepEqual(await channels(), ids(general, design, secret, archived));
    assert.deepEqual(await channels({ private_channels: false }), ids(general, design, archived));
    assert.deepEqual(await channels({ channels: [secret.id] }), ids(secret));
    const options = await must(slackHistory.options)(context(), {
      field: 'channels',
      query: '',
      limit: 100,
    });
    assert.deepEqual(
      options.map(({ value }) => value).toSorted(),
      ids(general, design, secret, archived),
    );
    assert.ok(options.some(({ title }) => title === '#general'));
    const failed = itemsOf(await pull({}, { channels: ['C9'] }), 'fail');
    assert.match(must(failed[0]).reason, /not in the channels C9/);
  });

  it('finds new messages, edits and new replies of the last week, and asks for nothing else', async () => {
    const { general, world } = company;
    const within = world.post(general, 'Within', { ts: old(6) });
    const thread = world.post(general, 'A thread', { ts: old(5) });
    world.reply(general, thread, 'Long ago', { ts: old(4) });
    const cursor = lastCursor(await pull());
    world.edit(within, 'Edited');
    const from = company.peer.requests.length;
    const items = await pull({ cursor });
    const edited = entityOf(items, idOf(general, within));
    assert.equal(edited.text, 'Edited');
    assert.deepEqual(edited.updatedAt, new Date(Number(within.editedAt) * 1000));
    assert.ok(!asked('conversations.replies', from).some(({ ts }) => ts === thread.ts));
    assert.ok(!idsOf(items).has(`${general.id}/${company.longAgo}`));
    assert.deepEqual(
      asked('conversations.history', from).filter(({ oldest, inclusive }) => !oldest || !inclusive),
      [],
    );
    change('conversations.history', () => ({
      messages: [{ ts: thread.ts, thread_ts: thread.ts, reply_count: null, latest_reply: 'odd' }],
    }));
    await pull({ cursor });
    assert.ok(asked('conversations.replies', from).some(({ ts }) => ts === thread.ts));
    company.peer.fault = () => undefined;
    const late = world.reply(general, thread, 'Late');
    assert.ok(idsOf(await pull({ cursor })).has(idOf(general, late)));
    // An archived channel cannot change.
    assert.ok(
      !asked('conversations.history', from).some(({ channel }) => channel === company.old.id),
    );
  });

  it('reads what was written before a channel was archived, once', async () => {
    const { general, design, world, settings: service } = company;
    const full = lastCursor(await pull());
    const last = world.post(design, 'The last words');
    design.isArchived = true;
    const items = await pull({ cursor: full });
    assert.ok(idsOf(items).has(idOf(design, last)));
    const from = company.peer.requests.length;
    const cursor = lastCursor(await pull({ cursor: lastCursor(items) }));
    const readSince = (start: number) =>
      asked('conversations.history', start).map(({ channel }) => channel);
    assert.ok(!readSince(from).includes(design.id));
    design.isArchived = false;
    const later = world.post(design, 'Opened again');
    assert.ok(idsOf(await pull({ cursor })).has(idOf(design, later)));

    // Its first pages were read before it was archived.
    service.largestPage = 3;
    const chosen = { channels: [general.id] };
    const pages = await pull({ cursor: { channels: {} } }, chosen);
    const whole = await pull({}, chosen);
    const late = world.post(general, 'Written between two pages');
    general.isArchived = true;
    const { position } = must(itemsOf(whole, 'bookmark')[0]);
    for (const begun of [
      { cursor: must(itemsOf(pages, 'checkpoint')[0]).cursor },
      { bookmark: position },
    ]) {
      const rest = await pull(begun, chosen);
      assert.ok(!idsOf(rest).has(idOf(general, late)));
      const end = await pull({ cursor: lastCursor(rest) }, chosen);
      assert.ok(idsOf(end).has(idOf(general, late)));
    }
  });

  it('reads archived channels once more with a cursor that does not say so', async () => {
    const { channels } = lastCursor(await pull()) as SlackCursor;
    const older = Object.entries(channels).map(([id, { isArchived: _, ...state }]) => [id, state]);
    const from = company.peer.requests.length;
    await pull({ cursor: { channels: Object.fromEntries(older) } });
    const read = asked('conversations.history', from).map(({ channel }) => channel);
    assert.ok(read.includes(company.old.id));
  });

  it('says of each day of the last week, and of each lively thread, that it has listed it whole', async () => {
    const { general, world } = company;
    const gone = world.post(general, 'Gone', { ts: old(3) });
    const cursor = lastCursor(await pull());
    world.remove(general, gone);
    const items = await pull({ cursor });
    const parts = new Set(itemsOf(items, 'listed').map(({ partition }) => partition));
    assert.ok(parts.has(`${general.id}/${Math.floor(Number(gone.ts) / DAY)}`));
    for (const { partition } of [...itemsOf(items, 'upsert'), ...itemsOf(items, 'stub')])
      assert.ok(parts.has(partition), partition);
    const first = Math.min(...[...parts].map((part) => Number(part.split('/')[1])));
    assert.ok(first >= Math.floor(Date.now() / 1000 / DAY) - 7);
  });

  it('reads an older thread again when a reply was also sent to the channel', async () => {
    const { general, world } = company;
    const thread = world.post(general, 'Old', { ts: old(60) });
    const cursor = lastCursor(await pull());
    const quiet = world.reply(general, thread, 'Quiet');
    assert.ok(!idsOf(await pull({ cursor })).has(idOf(general, quiet)));
    const loud = world.reply(general, thread, 'Loud', { subtype: 'thread_broadcast' });
    const ids = idsOf(await pull({ cursor }));
    assert.ok(ids.has(idOf(general, loud)) && ids.has(idOf(general, quiet)));
  });

  it('keeps the time of a channel that it could not read, and reads all of a new one', async () => {
    const { secret, lobby, world, settings: service } = company;
    const cursor = lastCursor(await pull()) as SlackCursor;
    service.forbidden.set(secret.id, 'access_denied');
    lobby.members.add(world.bot.id);
    const before = { ...must(cursor.channels[secret.id]), at: 1_700_000_000 };
    const items = await pull({ cursor: { channels: { ...cursor.channels, [secret.id]: before } } });
    const after = lastCursor(items) as SlackCursor;
    assert.deepEqual(after.channels[secret.id], before);
    assert.ok(itemsOf(items, 'lost').some(({ partition }) => partition === secret.id));
    assert.ok(entitiesOf(items).some(({ text }) => text === 'Nobody else reads this.'));
    assert.ok(after.channels[lobby.id]);
  });

  it('reads all of a channel again that it could not read', async () => {
    const { secret, settings: service } = company;
    service.forbidden.set(secret.id, 'access_denied');
    const cursor = lastCursor(await pull()) as SlackCursor;
    const again = lastCursor(await pull({ cursor })) as SlackCursor;
    for (const { channels } of [cursor, again]) assert.ok(!(secret.id in channels));
    service.forbidden.clear();
    const before = company.peer.requests.length;
    await pull({ cursor: again });
    const [first] = asked('conversations.history', before).filter(
      ({ channel }) => channel === secret.id,
    );
    assert.equal(must(first).oldest, undefined);
  });

  it('reads a file again that gets an address', async () => {
    const { general } = company;
    const versions = async (more: object) => {
      change('conversations.history', () => ({
        messages: [{ ts: '1.000100', files: [{ id: 'F1', name: 'a.md', ...more }] }],
      }));
      return itemsOf(await pull({}, { channels: [general.id] }), 'stub').map((one) => one.version);
    };
    const without = await versions({});
    assert.equal(without.length, 1);
    assert.notDeepEqual(await versions({ url_private: 'https://files.slack.com/a.md' }), without);
  });

  it('reads a file again whose channel is renamed, because searches show the name', async () => {
    const { general } = company;
    const versions = async () =>
      itemsOf(await pull(), 'stub').map(({ id, version }) => [id, version]);
    const before = await versions();
    general.name = 'herons';
    const after = await versions();
    assert.deepEqual(
      after.map(([id]) => id),
      before.map(([id]) => id),
    );
    const changed = after.filter(
      ([id, version]) => version !== must(before.find(([one]) => one === id))[1],
    );
    const ofGeneral = after.filter(([id]) => must(id).startsWith(general.id));
    assert.ok(ofGeneral.length > 0);
    assert.deepEqual(changed, ofGeneral);
  });

  it('goes on with a new channel at its next page', async () => {
    const { general, settings: service } = company;
    service.largestPage = 3;
    const items = await pull({ cursor: { channels: {} } }, { channels: [general.id] });
    const [first] = itemsOf(items, 'checkpoint');
    const from = company.peer.requests.length;
    const rest = await pull({ cursor: must(first).cursor }, { channels: [general.id] });
    assert.ok(asked('conversations.history', from)[0]?.cursor);
    const all = idsOf(await pull({}, { channels: [general.id] }));
    assert.deepEqual(new Set([...idsOf(items)]), all);
    assert.ok(idsOf(rest).size < all.size);
    const days = [...itemsOf(items, 'listed')].filter(({ partition }) => !partition.includes('.'));
    assert.deepEqual(days, []);
    // The look-back begins where the reading began, and not where it ended.
    const begun = must((must(first).cursor as SlackCursor).channels[general.id]);
    const at = begun.at - 2 * DAY;
    const late = await pull(
      { cursor: { channels: { [general.id]: { ...begun, at } } } },
      { channels: [general.id] },
    );
    assert.equal((lastCursor(late) as SlackCursor).channels[general.id]?.at, at);
    // A channel with another access has no use for the rest of the pages.
    general.kind = 'private_channel';
    const again = company.peer.requests.length;
    await pull({ cursor: must(first).cursor }, { channels: [general.id] });
    assert.equal(asked('conversations.history', again)[0]?.cursor, undefined);
  });

  it('goes on at each bookmark as if nothing had interrupted it, and keeps the days of channels apart', async () => {
    const { general, world, settings: service } = company;
    const before = world.post(general, 'Before', { ts: old(3) });
    service.largestPage = 3;
    const items = await pull();
    const all = lastCursor(items) as SlackCursor;
    const day = Math.floor(Number(before.ts) / DAY);
    const withDay = Object.entries(all.channels).filter(([, { days }]) => days.includes(day));
    assert.deepEqual(
      withDay.map(([id]) => id),
      [general.id],
    );
    let within = 0;
    for (const [i, item] of items.entries()) {
      if (item.kind !== 'bookmark') continue;
      const from = company.peer.requests.length;
      const rest = await pull({ bookmark: item.position });
      assert.deepEqual(lastCursor(rest), all);
      assert.deepEqual(new Set([...idsOf(items.slice(0, i)), ...idsOf(rest)]), idsOf(items));
      const { left, page } = item.position as { left: string[]; page: string | null };
      if (page !== null) within++;
      const [first] = asked('conversations.history', from);
      assert.deepEqual([first?.channel, first?.cursor ?? null], [left[0], page]);
    }
    assert.ok(within > 2);
  });

  it('dates the channels of an interrupted pull by its beginning', async () => {
    const { general } = company;
    const at = Math.floor(Date.now() / 1000) - 2 * DAY;
    const bookmark = { at, channels: {}, left: [general.id], days: [], page: null };
    const { channels } = lastCursor(await pull({ bookmark })) as SlackCursor;
    assert.equal(channels[general.id]?.at, at);
  });

  it('looks back to the first moment of the day a week before, and remembers that day', async () => {
    const { general, world } = company;
    const today = Math.floor(Date.now() / 1000 / DAY);
    const first = world.post(general, 'First', { ts: `${(today - 7) * DAY}.000000` });
    const full = lastCursor(await pull());
    world.edit(first, 'Edited');
    const items = await pull({ cursor: full });
    assert.equal(entityOf(items, idOf(general, first)).text, 'Edited');
    const next = lastCursor(items);
    world.remove(general, first);
    for (const cursor of [full, next])
      assert.ok(
        itemsOf(await pull({ cursor }), 'listed').some(
          ({ partition }) => partition === `${general.id}/${today - 7}`,
        ),
      );
  });

  it('reads a thread again whose latest reply is from the day before the last pull', async () => {
    const { general, world } = company;
    const thread = world.post(general, 'A thread', { ts: old(3) });
    const ts = `${Math.floor(Date.now() / 1000) - 60}.000000`;
    const reply = world.reply(general, thread, 'A reply', { ts });
    const { channels } = lastCursor(await pull()) as SlackCursor;
    world.edit(reply, 'Edited');
    // A pull whose clock is ahead of Slack's does not remember the thread as a lively one.
    const known = { ...must(channels[general.id]), at: Number(ts) + DAY, threads: [] };
    const items = await pull({ cursor: { channels: { ...channels, [general.id]: known } } });
    assert.equal(entityOf(items, idOf(general, reply)).text, 'Edited');
  });

  it('reads a lively thread once more when the listing no longer shows it as one', async () => {
    const { general, world } = company;
    const [root, alone, elder] = [old(2), old(1), old(60)].map((ts) =>
      world.post(general, 'A thread', { ts }),
    ) as [SlackMessage, SlackMessage, SlackMessage];
    const replies = [root, alone, elder].map((one) => world.reply(general, one, 'A reply'));
    const cursor = lastCursor(await pull());
    // The first thread is gone, the second has lost its only reply, and the third is older than the look-back.
    for (const reply of replies.slice(0, 2)) world.remove(general, reply);
    world.remove(general, root);
    world.edit(must(replies[2]), 'Edited');
    const from = company.peer.requests.length;
    const items = await pull({ cursor });
    const read = asked('conversations.replies', from).map(({ channel, ts }) => `${channel} ${ts}`);
    assert.deepEqual(read, [...new Set(read)]);
    const parts = itemsOf(items, 'listed').map(({ partition }) => partition);
    for (const { ts } of [root, alone, elder])
      assert.ok(parts.includes(`${general.id}/${Math.floor(Number(ts) / DAY)}/${ts}`), ts);
    assert.equal(entityOf(items, idOf(general, must(replies[2]))).text, 'Edited');
    // A thread stays lively as long as it gets replies, and is then forgotten.
    const later = world.reply(general, elder, 'Later');
    const next = await pull({ cursor: lastCursor(items) });
    assert.ok(idsOf(next).has(idOf(general, later)));
    const { channels } = lastCursor(next) as SlackCursor;
    const known = must(channels[general.id]);
    assert.ok(known.threads.includes(elder.ts) && !known.threads.includes(alone.ts));
  });

  it('reads all of a channel that becomes private, since its access has changed', async () => {
    const { general, longAgo } = company;
    const before = await pull();
    general.kind = 'private_channel';
    const after = await pull({ cursor: lastCursor(before) });
    const message = entityOf(after, `${general.id}/${longAgo}`);
    assert.deepEqual(message.access, { isPublic: false, viewers: [`group:${general.id}`] });
    // The version says that the access of a file has changed.
    const [file, ...others] = itemsOf(after, 'stub').filter(({ id }) => id.startsWith(general.id));
    assert.ok(others.length > 0);
    for (const { id, version } of itemsOf(before, 'stub'))
      if (id === file?.id) assert.notEqual(version, file.version);
  });

  it('reads all of a channel again of which the app becomes a member again', async () => {
    const { general, longAgo, world } = company;
    const cursor = lastCursor(await pull());
    general.members.delete(world.bot.id);
    const without = lastCursor(await pull({ cursor }));
    general.members.add(world.bot.id);
    assert.ok(idsOf(await pull({ cursor: without })).has(`${general.id}/${longAgo}`));
  });

  it('takes a thread that is gone for empty, and keeps one that may not be read', async () => {
    const { general, parent } = company;
    const thread = `${general.id}/${Math.floor(Number(parent.ts) / DAY)}/${parent.ts}`;
    const partsOf = async (error: string) => {
      company.peer.fault = ({ url }) =>
        url.pathname === '/api/conversations.replies' ? slackError(error) : undefined;
      const items = await pull();
      return (['listed', 'lost'] as const).map((kind) =>
        itemsOf(items, kind).some(({ partition }) => partition === thread),
      );
    };
    assert.deepEqual(await partsOf('thread_not_found'), [true, false]);
    assert.deepEqual(await partsOf('no_permission'), [false, true]);
  });

  it('reads only the last days when it is told so', async () => {
    const { general, longAgo, world } = company;
    const thread = world.post(general, 'Old', { ts: old(60) });
    const loud = world.reply(general, thread, 'Loud', { subtype: 'thread_broadcast' });
    const edge = world.post(general, 'Just within', { ts: old(30) });
    const ids = idsOf(await pull({}, { days: 30 }));
    assert.ok(ids.has(idOf(general, edge)));
    assert.ok(!ids.has(`${general.id}/${longAgo}`) && !ids.has(idOf(general, thread)));
    assert.ok(ids.has(idOf(general, loud)));
    assert.ok(idsOf(await pull({}, { days: 100 })).has(`${general.id}/${longAgo}`));
  });

  it('names the members of the workspace and of its channels, and nobody without an address', async () => {
    const { general, secret, world } = company;
    const guest = world.addUser('zed');
    general.members.add(guest.id);
    const members = async () => {
      const { memberships } = await membershipsOf(slackHistory, settings());
      return memberships.map(({ group, member }) => `${group} ${member}`).toSorted();
    };
    const [ann, bob, zed] = ['ann', 'bob', 'zed'].map((name) => `user:${name}@acme.example`);
    assert.deepEqual(await members(), [
      ...[ann, bob].map((one) => `group:${secret.id} ${one}`),
      ...[ann, bob, zed].map((one) => `group:everyone ${one}`),
    ]);
    company.peer.fault = ({ url }) =>
      url.pathname === '/api/conversations.members' ? slackError('channel_not_found') : undefined;
    assert.ok(!(await members()).some((one) => one.startsWith(`group:${secret.id}`)));
    company.peer.fault = () => undefined;
    company.settings.scopes.delete('users:read.email');
    assert.deepEqual(await members(), []);
    assert.equal(await must(slackHistory.groupScope)(context()), world.team);
  });

  it('shows to guests, and to people of other organizations, only the public channels of which they are members', async () => {
    const { general, design } = company;
    const [user, one, other, bot, left, invited] = ['u1', 'u2', 'u3', 'u4', 'u5', 'u9'].map(
      (name) => company.world.addUser(name),
    ) as [SlackUser, SlackUser, SlackUser, SlackUser, SlackUser, SlackUser];
    const [abroad, stranger, grid] = ['u6', 'u7', 'u8'].map((name) =>
      company.world.addUser(name),
    ) as [SlackUser, SlackUser, SlackUser];
    const { team } = company.world;
    const person = ({ id, name }: SlackUser, more: object = {}) => ({
      ...{ id, name, profile: { email: `${name}@acme.example` } },
      ...more,
    });
    change('users.list', () => ({
      members: [
        person(user, { team_id: team }),
        person(abroad, { team_id: 'TOTHER' }),
        person(stranger, { is_stranger: true }),
        person(grid, { team_id: 'TOTHER', enterprise_user: { teams: ['TOTHER', team] } }),
        person(one, { is_restricted: true }),
        person(other, { is_ultra_restricted: true }),
        person(bot, { is_bot: true }),
        person(left, { deleted: true }),
        person(invited, { is_invited_user: true }),
      ],
    }));
    for (const { id } of [one, bot, left, abroad, invited]) general.members.add(id);
    design.members.add(other.id);
    const { memberships } = await membershipsOf(slackHistory, settings());
    const found = memberships.map(({ group, member }) => `${group} ${member}`);
    assert.deepEqual(found.toSorted(), [
      ...[
        `group:${general.id} user:u2@acme.example`,
        `group:${general.id} user:u6@acme.example`,
        `group:${design.id} user:u3@acme.example`,
      ].toSorted(),
      'group:everyone user:u1@acme.example',
      'group:everyone user:u8@acme.example',
    ]);
  });

  it('reads a file with the token, and leaves out what is no file of Slack', async () => {
    const { general, world } = company;
    const file = world.addFile('a/b.md', '# Weir');
    const post = world.post(general, '', { user: world.bob.id, files: [file.id] });
    const read = async () => {
      const stubs = itemsOf(await pull(), 'stub').filter(
        ({ id }) => id === `${idOf(general, post)}/${file.id}`,
      );
      const items: SourceItem[] = [];
      for await (const item of must(slackHistory.hydrate)(context(), stubs)) items.push(item);
      return items;
    };
    const [entity] = entitiesOf(await read());
    assert.equal(readFileSync(must(entity?.file).path, 'utf8'), '# Weir');
    assert.deepEqual(
      [entity?.name, entity?.file?.name, entity?.access?.viewers?.length, entity?.fields.author],
      ['a/b.md', 'b.md', 2, 'ann'],
    );
    assert.equal(company.store.requests.at(-1)?.headers.authorization, undefined);
    // A history tells only the id of a file in a channel that several workspaces share.
    const shown = (id: string, more: object) =>
      change('conversations.history', () => ({
        messages: [{ ts: post.ts, files: [{ id, ...more }] }],
      }));
    shown(file.id, { file_access: 'check_file_info' });
    assert.equal(entitiesOf(await read())[0]?.file?.name, 'b.md');
    for (const gone of [
      ...[{ mode: 'tombstone' }, { mode: 'hidden_by_limit' }],
      ...[{ file_access: 'file_not_found' }, { file_access: 'access_denied' }],
    ]) {
      shown(file.id, gone);
      assert.deepEqual(await read(), []);
    }
    const url_private = `${company.peer.baseUrl}/files-pri/${world.team}-${file.id}/download/b.md`;
    shown(file.id, { name: 'b.md', url_private });
    assert.equal(readFileSync(must(entitiesOf(await read())[0]?.file).path, 'utf8'), '# Weir');
    company.peer.fault = () => undefined;
    company.settings.scopes.delete('files:read');
    const refused = async () => {
      const [skipped] = itemsOf(await read(), 'skip');
      const { id, reason, removes } = must(skipped);
      assert.match(id, new RegExp(`/${file.id}$`));
      assert.deepEqual([reason, removes], ['not given out by Slack', 'record']);
      return must(skipped?.detail);
    };
    assert.match(await refused(), /a page to sign in/);
    const history = (url_private_download: string, more: object = {}) =>
      change('conversations.history', () => ({
        messages: [
          { ts: post.ts, files: [{ id: file.id, name: 'x.md', url_private_download, ...more }] },
        ],
      }));
    history('https://evil.example/x.md');
    assert.match(await refused(), /not at Slack/);
    history('https://evil.example/x.md', { is_external: true, title: 'Elsewhere' });
    assert.equal(entitiesOf(await read())[0]?.text, 'Elsewhere');
  });

  it('takes the page to sign in for a refusal of the file only while the token is valid', async () => {
    const { peer, settings: slack } = company;
    const stubs = itemsOf(await pull(), 'stub').slice(0, 1);
    const read = async () => {
      const items: SourceItem[] = [];
      for await (const item of must(slackHistory.hydrate)(context(), stubs)) items.push(item);
      return items;
    };
    let pages = 1;
    peer.fault = ({ url }) =>
      url.pathname.startsWith('/files-pri/') && pages-- > 0 ? SIGN_IN_PAGE : undefined;
    assert.equal(entitiesOf(await read()).length, 1);
    peer.fault = () => undefined;
    slack.tokenError = 'token_expired';
    await assert.rejects(read(), refuses('auth', /token_expired/));
  });

  it('refuses pages that are not whole, and cursors that repeat', async () => {
    const { general } = company;
    const history = (row: SlackRow, kind: SourceErrorKind, says: RegExp) => {
      change('conversations.history', () => row);
      return assert.rejects(pull({}, { channels: [general.id] }), refuses(kind, says));
    };
    const next = { response_metadata: { next_cursor: 'same' } };
    await history({}, 'fatal', /messages/);
    await history({ messages: null }, 'fatal', /messages/);
    await history({ messages: [{ text: 'without a time' }] }, 'fatal', /ts/);
    await history({ messages: [], has_more: true }, 'fatal', /next_cursor/);
    await history({ messages: [], ...next }, 'fatal', /circles/);
    for (const method of ['conversations.list', 'users.list']) {
      change(method, () => ({}));
      await assert.rejects(pull(), refuses('fatal', /channels|members/));
    }
  });

  it('goes on after an empty page, and reads odd values as empty', async () => {
    const { general } = company;
    const odd: SlackRow[] = [
      { ts: '1.000100', text: null, user: null, files: null, blocks: 'no', reply_count: 'x' },
      { ts: '253370764800.000100', text: 'Far \ud800 away\u0000', subtype: 'a_new_one' },
      { ts: 1_700_000_000.0002, text: 7, edited: null },
      { ts: `x/${'y'.repeat(1999)}`, text: '# No heading', files: [null, { id: 'F1' }] },
    ];
    change('conversations.history', (n) =>
      n === 0
        ? { messages: [], has_more: true, response_metadata: { next_cursor: 'b' } }
        : { messages: odd },
    );
    const items = await pull({}, { channels: [general.id] });
    const entities = entitiesOf(items);
    assert.deepEqual(
      entities.map(({ text }) => text),
      ['', 'Far \ufffd away', '7', '\\# No heading'],
    );
    assert.deepEqual(
      entities.map(({ createdAt }) => createdAt?.getUTCFullYear()),
      [1970, 9999, 2023, undefined],
    );
    assert.ok(entities.every(({ name }) => name !== ''));
    assert.equal(itemsOf(items, 'stub').length, 1);
  });

  it('gives each refusal its kind, and names the scopes that the app lacks', async () => {
    const { settings: service } = company;
    for (const [error, kind] of [
      ...['token_expired', 'token_revoked', 'account_inactive', 'not_authed'].map(
        (one) => [one, 'auth'] as const,
      ),
      ['invalid_cursor', 'outdated'],
      ['not_allowed_token_type', 'config'],
      ['something_new', 'fatal'],
    ] as const) {
      company.peer.fault = () => slackError(error);
      await assert.rejects(pull(), refuses(kind, new RegExp(error)));
    }
    company.peer.fault = () => slackError('ratelimited', { 'retry-after': '60' });
    await assert.rejects(pull(), { kind: 'rate_limited', retryAfter: 60 });
    company.peer.fault = () => undefined;
    for (const error of ['not_in_channel', 'channel_not_found', 'no_permission']) {
      service.forbidden.set(company.general.id, error);
      const [lost] = itemsOf(await pull(), 'lost');
      assert.match(must(lost).error.message, new RegExp(error));
    }
    for (const scope of ['groups:history', 'files:read']) service.scopes.delete(scope);
    const check = (config: object = {}) => checkSettings(slackHistory, context(config));
    await assert.rejects(check(), refuses('config', /files:read, groups:history.*install/s));
    await assert.rejects(pull(), refuses('config', /needs the scope groups:history/));
    service.scopes.add('files:read');
    await check({ private_channels: false });
    for (const channel of company.world.channels.values()) channel.members.clear();
    await assert.rejects(
      check({ private_channels: false }),
      refuses('config', /in no channel.*invite/is),
    );
  });
});
