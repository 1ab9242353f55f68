/** Tests the fake of Slack by Slack's own client: the client lists, pages and reads everything in it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { LogLevel, WebClient } from '@slack/web-api';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { openSlackCompany, type SlackCompany } from './slack-company.ts';
import { SLACK_BOT_TOKEN, SLACK_USER_TOKEN } from './slack-peer.ts';
import type { SlackRow } from './slack-records.ts';

const ALL_TYPES = 'public_channel,private_channel,mpim,im';

describe('the fake of Slack, asked by the client of Slack', () => {
  let company: SlackCompany;
  let client: WebClient;
  const clientOf = (token: string) =>
    new WebClient(token, {
      slackApiUrl: `${company.peer.baseUrl}/api/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: LogLevel.ERROR,
      logger: {
        ...console,
        debug() {},
        info() {},
        warn() {},
        error() {},
        setLevel() {},
        setName() {},
        getLevel: () => LogLevel.ERROR,
      },
    });
  beforeEach(async () => {
    company = await openSlackCompany({
      recordId: ({ kind, fileId, channelId, ts }) => `${kind} ${fileId ?? `${channelId} ${ts}`}`,
    });
    client = clientOf(SLACK_BOT_TOKEN);
  });
  afterEach(() => company.peer.close());

  /** Follows the cursors of a method, and returns the items of all pages. */
  async function all(method: string, field: string, values: SlackRow = {}): Promise<any[]> {
    const found: unknown[] = [];
    for await (const page of client.paginate(method, { limit: 2, ...values }))
      found.push(...((page as SlackRow)[field] as unknown[]));
    return found;
  }
  const historyOf = (channel: string, values: SlackRow = {}) =>
    all('conversations.history', 'messages', { channel, ...values });
  const threadOf = (channel: string, ts: string) =>
    all('conversations.replies', 'messages', { channel, ts });
  const refusedWith =
    (error: string, more: SlackRow = {}) =>
    (thrown: any) => {
      assert.deepEqual(
        { error: thrown.data.error, ...more },
        { error, ...Object.fromEntries(Object.keys(more).map((key) => [key, thrown.data[key]])) },
      );
      return true;
    };
  const tsOf = ({ ts }: SlackRow) => ts as string;

  it('shows every word of the company in messages, threads and files', async () => {
    const shown: unknown[] = [];
    for (const { id } of await all('users.conversations', 'channels', { types: ALL_TYPES }))
      for (const message of await historyOf(id)) {
        const thread = message.reply_count ? await threadOf(id, message.ts) : [message];
        shown.push(message, thread);
        for (const { url_private } of [message, ...thread].flatMap(({ files = [] }) => files))
          shown.push(
            await (
              await fetch(url_private, { headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}` } })
            ).text(),
          );
      }
    const text = JSON.stringify(shown);
    assert.deepEqual(
      [...company.expected()].filter(([, word]) => !text.includes(word)),
      [],
    );
    assert.doesNotMatch(text, /Nobody else/);
  });

  it('lists conversations by type, with those that the bot may see', async () => {
    const names = async (values: SlackRow) =>
      (await all('conversations.list', 'channels', values))
        .map(({ id, name }) => name ?? id)
        .toSorted();
    assert.deepEqual(await names({}), ['design', 'general', 'lobby', 'old']);
    assert.deepEqual(await names({ exclude_archived: true }), ['design', 'general', 'lobby']);
    assert.deepEqual(await names({ types: 'private_channel' }), ['secret']);
    assert.deepEqual(
      await names({ types: 'im,mpim' }),
      [company.direct.id, company.several.name].toSorted(),
    );
    const members = await all('conversations.members', 'members', { channel: company.secret.id });
    assert.deepEqual(members.toSorted(), [...company.secret.members].toSorted());
    const { channel } = (await client.conversations.info({
      channel: company.lobby.id,
    })) as SlackRow;
    assert.equal(channel.is_member, false);
  });

  it('shows the latest messages first, and cuts by times with and without the ends', async () => {
    const { general } = company;
    const times = (await historyOf(general.id)).map(tsOf);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.equal(new Set(times).size, times.length);
    const [from, to] = [must(times.at(-2)), must(times[1])];
    assert.deepEqual(
      (await historyOf(general.id, { oldest: from, latest: to })).map(tsOf),
      times.slice(2, -2),
    );
    const closed = await historyOf(general.id, { oldest: from, latest: to, inclusive: true });
    assert.deepEqual(closed.map(tsOf), times.slice(1, -1));
    const said = general.messages.filter(
      ({ threadTs, subtype }) => !threadTs || subtype === 'thread_broadcast',
    );
    assert.equal(times.length, said.length);
  });

  it('shows a thread after its parent, which comes on every page', async () => {
    const { general, parent, world } = company;
    const thread = await threadOf(general.id, parent.ts);
    const times = world.repliesOf(general, parent).map(tsOf);
    assert.deepEqual([...new Set(thread.map(tsOf))], [parent.ts, ...times]);
    assert.equal(thread.filter(({ ts }) => ts === parent.ts).length, Math.ceil(times.length / 2));
    const [first] = thread;
    assert.deepEqual([first.reply_count, first.latest_reply], [times.length, times.at(-1)]);
    assert.deepEqual([first.reactions[0].name, first.thread_ts], ['heron', parent.ts]);
    const [single] = await threadOf(general.id, company.longAgo);
    assert.deepEqual([single.ts, single.thread_ts], [company.longAgo, undefined]);
  });

  it('moves nothing by an edit, a reply or a deletion, and keeps a tombstone for replies', async () => {
    const { general, parent, world } = company;
    const before = await historyOf(general.id);
    const plain = must(before.find(({ reply_count, subtype }) => !reply_count && !subtype));
    world.edit(must(general.messages.find(({ ts }) => ts === plain.ts)), 'Otherwise');
    const { ts } = company.answerIn(general, parent);
    const after = await historyOf(general.id);
    assert.deepEqual(after.map(tsOf), before.map(tsOf));
    const edited = must(after.find((one) => one.ts === plain.ts));
    assert.deepEqual(
      [edited.text, typeof edited.edited.ts, plain.edited],
      ['Otherwise', 'string', undefined],
    );
    assert.equal(must(after.find((one) => one.ts === parent.ts)).latest_reply, ts);
    company.deleteMessage(general, parent);
    const [stone, ...replies] = await threadOf(general.id, parent.ts);
    assert.deepEqual([stone.subtype, stone.user, stone.hidden], ['tombstone', 'USLACKBOT', true]);
    for (const reply of world.repliesOf(general, parent)) company.deleteMessage(general, reply);
    assert.ok(replies.length > 0);
    await assert.rejects(threadOf(general.id, parent.ts), refusedWith('thread_not_found'));
  });

  it('keeps its pages while people talk, and forgets cursors', async () => {
    const channel = company.general.id;
    const before = (await historyOf(channel)).map(tsOf);
    const first: SlackRow = await client.conversations.history({ channel, limit: 2 });
    const cursor = first.response_metadata.next_cursor;
    company.say(company.general);
    const second: SlackRow = await client.conversations.history({ channel, limit: 2, cursor });
    assert.deepEqual([...first.messages, ...second.messages].map(tsOf), before.slice(0, 4));
    company.forgetCursors();
    await assert.rejects(
      client.conversations.history({ channel, cursor }),
      refusedWith('invalid_cursor'),
    );
  });

  it('names people, groups and the workspace, with addresses only for a token with that scope', async () => {
    const people = await all('users.list', 'members');
    const named = (name: string) => people.find((one) => one.name === name);
    assert.deepEqual(
      [named('bob').profile.email, named('gus').profile.email],
      ['Bob@Acme.example', undefined],
    );
    assert.deepEqual([named('cid').deleted, named('quarry').is_bot], [true, true]);
    company.settings.scopes.delete('users:read.email');
    const { user }: SlackRow = await client.users.info({ user: company.world.bob.id });
    assert.equal(user.profile.email, undefined);
    const { usergroups }: SlackRow = await client.usergroups.list({ include_users: true });
    const { users } = await client.usergroups.users.list({ usergroup: company.staff.id });
    assert.deepEqual(usergroups[0].users, users);
    const test = await client.auth.test();
    const { team }: SlackRow = await client.team.info();
    assert.deepEqual([test.team_id, test.user_id], [team.id, company.world.bot.id]);
  });

  it('gives files by a redirect to another host, to those who have the token', async () => {
    const { general } = company;
    const { id } = must([...company.world.files.values()][0]);
    const { file }: SlackRow = await client.files.info({ file: id });
    const headers = { authorization: `Bearer ${SLACK_BOT_TOKEN}` };
    const redirect = await fetch(file.url_private, { headers, redirect: 'manual' });
    const location = must(redirect.headers.get('location'));
    assert.notEqual(new URL(location).origin, company.peer.baseUrl);
    assert.match(await (await fetch(location)).text(), /flies/);
    assert.equal((await fetch(location, { headers })).status, 403);
    assert.match(await (await fetch(file.url_private)).text(), /Sign in/);
    const message = must(general.messages.find(({ files }) => files.includes(id)));
    company.removeFile(general, message);
    await assert.rejects(client.files.info({ file: id }), refusedWith('file_deleted'));
    const shown = (await historyOf(general.id)).find(({ ts }) => ts === message.ts);
    assert.deepEqual(shown.files, [{ id, mode: 'tombstone' }]);
    assert.equal((await fetch(file.url_private, { headers })).status, 404);
  });

  it('searches for a person only, by numbered pages', async () => {
    const person = clientOf(SLACK_USER_TOKEN);
    const { general } = company;
    const query = 'about in:#general from:@bob';
    const found: SlackRow[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { messages }: SlackRow = await person.search.messages({
        query,
        count: 2,
        page,
        sort: 'timestamp',
      });
      pages = messages.paging.pages;
      found.push(...messages.matches);
    }
    const wanted = general.messages.filter(({ user }) => user === company.world.bob.id).map(tsOf);
    assert.deepEqual(found.map(tsOf), wanted.toReversed());
    assert.match(must(found[0]).permalink, /thread_ts=/);
    const { messages }: SlackRow = await person.search.messages({ query: 'nobody' });
    assert.equal(messages.total, 2);
    await assert.rejects(client.search.messages({ query }), refusedWith('not_allowed_token_type'));
  });

  it('refuses with status 200, and asks to wait with 429', async () => {
    const { general, lobby, hidden, secret, settings } = company;
    const history = (channel: string, by = client) => by.conversations.history({ channel });
    await assert.rejects(history(general.id, clientOf('xoxb-wrong')), refusedWith('invalid_auth'));
    await assert.rejects(history(lobby.id), refusedWith('not_in_channel'));
    await assert.rejects(history(hidden.id), refusedWith('channel_not_found'));
    await assert.rejects(client.conversations.list({ types: 'all' }), refusedWith('invalid_types'));
    await assert.rejects(client.conversations.list({ limit: 1001 }), refusedWith('invalid_limit'));
    company.forbidPart();
    await assert.rejects(history(secret.id), refusedWith('access_denied'));
    settings.scopes.delete('groups:history');
    await assert.rejects(
      history(secret.id),
      refusedWith('missing_scope', {
        needed: 'groups:history',
        provided: [...settings.scopes].join(','),
      }),
    );
    for (const error of ['token_expired', 'account_inactive']) {
      settings.tokenError = error;
      await assert.rejects(history(general.id), refusedWith(error));
    }
    settings.tokenError = null;
    company.peer.fault = () => company.refusals.rateLimited[0];
    await assert.rejects(history(general.id), (thrown: any) => thrown.retryAfter === 3600);
    company.peer.fault = () => json(503, {});
    await assert.rejects(history(general.id));
    company.peer.fault = () => undefined;
    const nobody = await fetch(`${company.peer.baseUrl}/api/auth.test`);
    assert.deepEqual(
      [nobody.status, await nobody.json()],
      [200, { ok: false, error: 'not_authed' }],
    );
  });

  it('changes as the company does', async () => {
    const { expected } = company;
    const before = expected();
    for (let i = 0; i < 10; i++) company.edit();
    const changed = [...expected()]
      .filter(([id, word]) => before.get(id) !== word)
      .map(([id]) => id);
    const kinds = new Set(changed.map((id) => id.split(' ')[0]));
    assert.deepEqual([...kinds].toSorted(), ['bot', 'message', 'reply']);
    company.shuffle();
    assert.equal(expected().size, before.size + 4);
    for (let i = 0; i < 4; i++) company.remove();
    assert.equal(expected().size, before.size);
    company.removeMany();
    assert.equal(expected().size, before.size - 5);
    company.removePart();
    assert.ok([...expected().keys()].every((id) => !id.includes(company.design.id)));
    await assert.rejects(historyOf(company.design.id), refusedWith('channel_not_found'));
    company.forbidPart();
    for (let i = 0; i < 9; i++) company.edit();
  });
});
