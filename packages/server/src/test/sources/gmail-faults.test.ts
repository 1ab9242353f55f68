/** Tests by Google's own client what the fake of Gmail tells of changes, what it refuses, and the faults of its own. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { auth, type gmail_v1 } from '@googleapis/gmail';
import { must } from '../../util.ts';
import { type GmailClient, openGmailClient, tokenFor } from './gmail-client.ts';
import type { GmailOddity } from './gmail-oddities.ts';
import { ANN, BOB, type GmailPeer, openGmail } from './gmail-peer.ts';
import { GMAIL_LABELS, GMAIL_METADATA, GMAIL_READONLY } from './gmail-settings.ts';
import type { GmailMailbox, GmailMessage } from './gmail-world.ts';

const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

describe('changes, refusals and faults of the fake of Gmail', () => {
  let gmail: GmailPeer;
  let client: GmailClient;
  let mine: GmailMailbox;
  let messages: GmailMessage[];
  const withToken = (access_token: string) => {
    const one = new auth.OAuth2();
    one.setCredentials({ access_token });
    return openGmailClient(gmail, one);
  };
  const withScopes = (...scopes: string[]) => {
    gmail.settings.granted = scopes;
    gmail.acceptToken('ann');
    return client;
  };
  beforeEach(async () => {
    let at = Date.parse('2026-01-01T00:00:00Z');
    gmail = await openGmail({ now: () => (at += 60_000) });
    mine = gmail.world.mailboxOf(ANN);
    messages = Array.from({ length: 7 }, (_, i) =>
      gmail.world.add(mine, { subject: `Number ${i}`, text: `This is ${i}.` }),
    );
    gmail.acceptToken('ann');
    client = withToken('ann');
  });
  afterEach(() => gmail.peer.close());

  const idsOf = (rows: readonly { id?: string | null }[]) => rows.map(({ id }) => id as string);
  const newest = () => [...messages].reverse().map(({ id }) => id);
  const start = async () => must((await client.profile()).historyId);
  const short = (rows: gmail_v1.Schema$History[]) =>
    rows.map(({ messagesAdded, messagesDeleted, labelsAdded, labelsRemoved }) => {
      const one = (messagesAdded ?? messagesDeleted ?? labelsAdded ?? labelsRemoved)?.[0];
      const what = messagesAdded ? '+' : messagesDeleted ? '-' : labelsAdded ? 'l+' : 'l-';
      const { labelIds = [] } = (labelsAdded ?? labelsRemoved)?.[0] ?? {};
      return [what, one?.message?.id, ...(labelIds ?? [])];
    });
  const refusedWith =
    (status: number, reason: string, message = /./) =>
    (thrown: any) => {
      const { error } = thrown.response.data;
      assert.deepEqual(
        [thrown.status, error.code, error.errors[0].reason],
        [status, status, reason],
      );
      assert.match(error.message, message);
      assert.match(error.status, /^[A-Z_]+$/);
      return true;
    };

  it('tells changes in their order, those of each type and of each label', async () => {
    const { world } = gmail;
    const from = await start();
    assert.deepEqual(await client.history(from), []);
    const [one, two, three] = messages.map((message) => must(message));
    const added = world.add(mine, { labels: ['DRAFT'] });
    world.trash(mine, must(one));
    world.remove(mine, must(two));
    world.relabel(mine, must(three), { add: ['STARRED', 'UNREAD'], remove: ['SPAM'] });
    const sent = world.sendDraft(mine, added);
    const all = await client.history(from, { maxResults: 2 });
    assert.deepEqual(short(all), [
      ['+', added.id],
      ['l+', one?.id, 'TRASH'],
      ['l-', one?.id, 'INBOX'],
      ['-', two?.id],
      ['l+', three?.id, 'STARRED'],
      ['-', added.id],
      ['+', sent.id],
    ]);
    assert.equal(sent.threadId, added.threadId);
    const ids = all.map(({ id }) => BigInt(id ?? 0));
    assert.ok(ids.every((id, i) => id > (ids[i - 1] ?? BigInt(from))));
    assert.deepEqual(short(await client.history(String(ids[4]))), short(all).slice(5));
    const typed = await client.history(from, { historyTypes: ['messageDeleted', 'labelAdded'] });
    assert.deepEqual(
      short(typed).map(([what]) => what),
      ['l+', '-', 'l+', '-'],
    );
    assert.deepEqual(short(await client.history(from, { labelId: 'TRASH' })), [
      ['l+', one?.id, 'TRASH'],
      ['l-', one?.id, 'INBOX'],
    ]);
    assert.deepEqual(
      must(must(all[1]).labelsAdded?.[0]?.message?.labelIds).includes('TRASH'),
      true,
    );
    await assert.rejects(client.message(added.id), refusedWith(404, 'notFound'));
    const { data } = await client.users.history.list({ userId: 'me', startHistoryId: from });
    assert.equal(data.historyId, String(mine.historyId));
  });

  it('forgets histories and pages', async () => {
    const from = await start();
    const { data } = await client.users.messages.list({ userId: 'me', maxResults: 2 });
    gmail.forgetCursors();
    await assert.rejects(client.history(from), refusedWith(404, 'notFound'));
    assert.deepEqual(await client.history(await start()), []);
    await assert.rejects(client.history(`${mine.historyId}0`), refusedWith(404, 'notFound'));
    await assert.rejects(client.history('soon'), refusedWith(400, 'invalidArgument'));
    const pageToken = must(data.nextPageToken);
    const next = client.users.messages.list({ userId: 'me', pageToken });
    await assert.rejects(next, refusedWith(400, 'invalidArgument', /pageToken/));
  });

  it('refuses as Google does', async () => {
    const { settings, peer, refusals } = gmail;
    const [{ id }] = messages as [GmailMessage];
    const hidden = gmail.world.add(gmail.world.mailboxOf(BOB));
    const unauthorized = refusedWith(401, 'authError');
    await assert.rejects(withToken('other').profile(), unauthorized);
    await assert.rejects(client.message(hidden.id), refusedWith(404, 'notFound'));
    await assert.rejects(client.message('none'), refusedWith(400, 'invalidArgument'));
    await assert.rejects(client.thread('abc'), refusedWith(404, 'notFound'));
    await assert.rejects(client.label('Label_9999'), refusedWith(404, 'notFound'));
    await assert.rejects(
      client.messages({ labelIds: ['No'] }),
      refusedWith(400, 'invalidArgument'),
    );
    await assert.rejects(client.attachment(id, 'none'), refusedWith(400, 'invalidArgument'));
    await assert.rejects(
      client.users.getProfile({ userId: BOB }),
      refusedWith(403, 'forbidden', /Delegation denied/),
    );
    settings.forbidden.add(ANN);
    await assert.rejects(client.messages(), refusedWith(403, 'forbidden'));
    settings.disabled.add(ANN);
    await assert.rejects(client.messages(), refusedWith(400, 'failedPrecondition', /not enabled/));
    for (const [fault, status, reason] of [
      [refusals.rateLimited[0], 429, 'rateLimitExceeded'],
      [refusals.rateLimited[3], 403, 'userRateLimitExceeded'],
      [refusals.waitUntil(new Date(0)), 429, 'rateLimitExceeded'],
      [refusals.dailyLimit, 403, 'dailyLimitExceeded'],
      [refusals.domainPolicy, 403, 'domainPolicy'],
      [refusals.serverError, 503, 'backendError'],
    ] as const) {
      peer.fault = () => fault;
      await assert.rejects(client.profile(), refusedWith(status, reason));
    }
    peer.fault = () => undefined;
    gmail.revoke();
    await assert.rejects(client.profile(), unauthorized);
  });

  it('shows what the scopes of a token allow', async () => {
    const [{ id }] = messages as [GmailMessage];
    const insufficient = refusedWith(403, 'insufficientPermissions');
    await assert.rejects(withScopes(DRIVE_SCOPE).profile(), insufficient);
    const labels = withScopes(GMAIL_LABELS);
    assert.ok((await labels.labels()).length > 5);
    await assert.rejects(labels.messages(), insufficient);
    const metadata = withScopes(GMAIL_METADATA);
    assert.equal((await metadata.messages()).length, 7);
    assert.ok((await metadata.message(id, { format: 'metadata' })).payload?.headers);
    for (const refused of [
      metadata.message(id),
      metadata.message(id, { format: 'raw' }),
      metadata.thread(id),
      metadata.messages({ q: 'in:inbox' }),
    ])
      await assert.rejects(refused, refusedWith(403, 'forbidden', /^Metadata scope/));
    await assert.rejects(metadata.attachment(id, 'any'), insufficient);
  });

  it('gives tokens to a service account that acts for people, and to a person with a browser', async () => {
    const scopes = [GMAIL_READONLY];
    for (const subject of [ANN, BOB]) {
      const { access_token = '' } = await tokenFor(gmail, subject, scopes);
      assert.equal((await withToken(access_token).profile()).emailAddress, subject);
    }
    const own = withToken((await tokenFor(gmail, undefined, scopes)).access_token ?? '');
    await assert.rejects(own.profile(), refusedWith(400, 'failedPrecondition', /^Precondition/));
    const wide = await tokenFor(gmail, ANN, [GMAIL_READONLY, DRIVE_SCOPE]);
    assert.equal(wide.error, 'unauthorized_client');
    const nobody = await tokenFor(gmail, 'eve@acme.example', scopes);
    assert.equal(nobody.error, 'invalid_grant');
    const { client: app, tokenUrl } = gmail.operator;
    const person = new auth.OAuth2({
      clientId: app.id,
      clientSecret: app.secret,
      endpoints: { oauth2TokenUrl: tokenUrl },
    });
    person.setCredentials({ refresh_token: 'refresh-1' });
    assert.equal((await openGmailClient(gmail, person).profile()).emailAddress, ANN);
    gmail.settings.refreshTokens.clear();
    person.setCredentials({ refresh_token: 'refresh-1' });
    await assert.rejects(openGmailClient(gmail, person).profile(), /invalid_grant/);
  });

  it('has pages that shift, come twice, are empty, or lie about the number of results', async () => {
    const { settings, world, peer } = gmail;
    settings.largestPage = 2;
    const list = async () => idsOf(await client.messages());
    assert.deepEqual(await list(), newest());
    settings.pagesRepeat = true;
    const twice = newest().flatMap((id, i, all) => (i % 2 ? [all[i - 1], id, all[i - 1], id] : []));
    assert.deepEqual(await list(), [...twice, ...newest().slice(-1), ...newest().slice(-1)]);
    settings.pagesRepeat = false;
    settings.hasEmptyPages = true;
    const before = peer.requests.length;
    assert.deepEqual(await list(), newest());
    assert.equal(peer.requests.length - before, 7);
    Object.assign(settings, { hasEmptyPages: false, isReversed: true, estimate: 201 });
    assert.deepEqual(await list(), newest().reverse());
    const { data } = await client.users.messages.list({ userId: 'me' });
    assert.equal(data.resultSizeEstimate, 201);
    settings.isReversed = false;
    for (const pagesShift of [false, true]) {
      settings.pagesShift = pagesShift;
      const known = newest();
      let asked = 0;
      peer.fault = () => {
        if (asked++ === 1) messages.push(world.add(mine));
        return undefined;
      };
      const again = pagesShift ? known.slice(1) : known.slice(2);
      assert.deepEqual(await list(), [...known.slice(0, 2), ...again]);
    }
    const from = await start();
    Object.assign(settings, { historyRepeats: true, pagesShift: false });
    for (const message of messages.slice(0, 3)) world.remove(mine, message);
    const told = idsOf(await client.history(from));
    assert.deepEqual([told.length, new Set(told).size], [6, 3]);
  });

  it('gives odd values when a test wants them', async () => {
    const [{ id }] = messages as [GmailMessage];
    const odd = async (oddity: GmailOddity) => {
      gmail.settings.odd = new Set([oddity]);
      return client.message(id);
    };
    const dateOf = ({ payload, internalDate }: gmail_v1.Schema$Message) => [
      internalDate,
      payload?.headers?.find(({ name }) => name === 'Date')?.value,
    ];
    const none = await odd('null texts');
    assert.deepEqual([none.snippet, none.payload?.headers?.[0]?.value], [null, null]);
    const lone = await odd('lone surrogates');
    assert.ok(!must(lone.snippet).isWellFormed());
    assert.match(String(dateOf(await odd('year 0'))), /^-62167219200000,.* 0000 /);
    assert.match(String(dateOf(await odd('year 9999'))), /^253402300799000,.* 9999 /);
    assert.match(String(dateOf(await odd('broken dates'))), /^soon,/);
    assert.equal(typeof (await odd('numbers as texts')).sizeEstimate, 'string');
    assert.match((await odd('unknown kinds')).payload?.mimeType ?? '', /never-heard-of/);
    assert.equal((await odd('bare messages')).payload, undefined);
    const huge = (await odd('huge text')).payload?.body?.data ?? '';
    assert.ok(Buffer.from(huge, 'base64url').length > 30 * 2 ** 20);
    gmail.settings.odd = new Set(['cursor repeats']);
    const { data } = await client.users.messages.list({ userId: 'me', maxResults: 2 });
    assert.equal(data.nextPageToken, 'the same token');
  });
});
