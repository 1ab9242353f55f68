/** Tests how gmail signs in, and how it reads the mailboxes of several people. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gmail } from '../../sources/catalog/gmail.ts';
import { json } from './cloud-peer.ts';
import { ANN, BOB, type GmailPeer, openGmail } from './gmail-peer.ts';
import { GMAIL_READONLY, usualGmailSettings } from './gmail-settings.ts';
import { CLIENT } from './google-accounts.ts';
import { type GoogleHouse, openGoogleHouse } from './google-house.ts';

const DIRECTORY = 'https://www.googleapis.com/auth/admin.directory.user.readonly';

describe('gmail and people', () => {
  let fake: GmailPeer;
  let house: GoogleHouse;
  before(async () => {
    fake = await openGmail();
    house = await openGoogleHouse(gmail, fake);
  });
  after(async () => {
    await house.close();
    await fake.peer.close();
  });
  beforeEach(() => {
    fake.peer.fault = () => undefined;
    fake.tokenRequests.length = 0;
    Object.assign(fake.settings, usualGmailSettings());
    for (const email of [ANN, BOB]) {
      fake.world.addMailbox(email);
      say(email, email === ANN ? 'heron' : 'egret');
    }
  });

  const say = (email: string, text: string) =>
    fake.world.add(fake.world.mailboxOf(email), { text: `The ${text} flies.` });
  const owners = (ids: readonly string[]) => ids.map((id) => id.split('/')[0]);
  const asOrganization = () => {
    fake.settings.isAdmin = true;
    fake.settings.delegated.push(DIRECTORY);
  };
  const account = async (id: string) =>
    (await house.quarry.ok('GET', `/v1/source-connections/${id}`)).auth.account;

  it('asks only for the scope that reads mail', () => {
    assert.deepEqual(gmail.auth.oauth?.scopes, [GMAIL_READONLY]);
    assert.deepEqual(gmail.auth.oauth?.params, { access_type: 'offline', prompt: 'consent' });
  });

  it('reads the mailbox of the person who has signed in, and no other', async () => {
    const refresh = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
    });
    const answer = await fetch(fake.operator.tokenUrl, { method: 'POST', body: refresh });
    const { access_token } = (await answer.json()) as { access_token: string };
    const authentication = { access_token, refresh_token: 'refresh-1' };
    const { id, ids } = await house.follow({}, authentication);
    assert.deepEqual([await account(id), owners(await ids())], [ANN, [ANN]]);
    const others = await house.connect({ users: [BOB] }, authentication);
    assert.equal(others.status, 422);
    assert.match(
      JSON.stringify(others.body),
      /bob@acme\.example has a mailbox that cannot be read.*Delegation denied/,
    );
  });

  it('[AUTH-37] reads the mailboxes of an organization, each with a token of its own, for its owner alone', async () => {
    asOrganization();
    const { id, ids, having, sync } = await house.follow({ all_users: true });
    assert.deepEqual([await account(id), owners(await ids())], ['acme.example', [ANN, BOB]]);
    assert.equal((await having('egret', `user:${BOB}`)).length, 1);
    assert.deepEqual(await having('egret', `user:${ANN}`), []);
    const claims = fake.tokenRequests.map(({ body }) => {
      const [, payload = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
      return JSON.parse(Buffer.from(payload, 'base64url').toString());
    });
    assert.deepEqual(
      new Set(claims.map(({ sub, scope }) => `${sub} ${scope}`)),
      new Set([`${ANN} ${GMAIL_READONLY} ${DIRECTORY}`, `${BOB} ${GMAIL_READONLY}`]),
    );
    fake.world.addMailbox('carl@acme.example');
    say('carl@acme.example', 'stork');
    say(BOB, 'crane');
    await sync();
    assert.deepEqual(owners(await ids()), [ANN, BOB, BOB, 'carl@acme.example']);
    fake.world.mailboxes.delete('carl@acme.example');
    await sync();
    assert.deepEqual(owners(await ids()), [ANN, BOB, BOB]);
  });

  it('reads the mailboxes of the people in the configuration, each once', async () => {
    const { ids, id } = await house.follow(
      { users: [BOB, BOB] },
      { credentials: { service_account: fake.serviceAccount } },
    );
    assert.deepEqual([await account(id), owners(await ids())], [`${BOB} and 1 more`, [BOB]]);
  });

  it('keeps a mailbox that it may not read, says so, and reads it when it may', async () => {
    asOrganization();
    const { ids, sync, failures, full } = await house.follow({ all_users: true });
    fake.settings.forbidden.add(BOB);
    say(ANN, 'stork');
    say(BOB, 'crane');
    for (const again of [sync, full]) {
      const job = await again();
      assert.deepEqual([job.entities_deleted, job.entities_failed], [0, 1]);
      assert.match(JSON.stringify(await failures(job)), /does not have permission/);
      assert.deepEqual(owners(await ids()), [ANN, ANN, BOB]);
    }
    fake.settings.forbidden.clear();
    await sync();
    assert.deepEqual(owners(await ids()), [ANN, ANN, BOB, BOB]);
  });

  it('deletes what it has of a mailbox that it could not list again and whose owner is gone by now', async () => {
    asOrganization();
    const { ids, sync, full } = await house.follow({ all_users: true });
    fake.settings.forbidden.add(BOB);
    await full();
    assert.deepEqual(owners(await ids()), [ANN, BOB]);
    fake.world.mailboxes.delete(BOB);
    await sync();
    assert.deepEqual(owners(await ids()), [ANN]);
  });

  it('leaves out a person for whom mail is not switched on, and says so', async () => {
    asOrganization();
    fake.settings.disabled.add(BOB);
    const { ids, first, skipped, sync } = await house.follow({ all_users: true });
    assert.deepEqual([owners(await ids()), first.entities_failed], [[ANN], 0]);
    assert.match(JSON.stringify(await skipped(first)), /of people without Gmail.*not enabled/);
    fake.settings.disabled.clear();
    await sync();
    assert.deepEqual(owners(await ids()), [ANN, BOB]);
  });

  it('does not take an odd list of the people for an organization without people', async () => {
    asOrganization();
    const { ids, id } = await house.follow({ all_users: true });
    for (const odd of [{}, { kind: 'admin#directory#users' }]) {
      fake.peer.fault = ({ url }) => (url.pathname.endsWith('/users') ? json(200, odd) : undefined);
      for (const query of ['', '?force_full_sync=true']) {
        const job = await house.quarry.sync(id, query);
        assert.deepEqual([job.status, job.entities_deleted], ['failed', 0]);
      }
    }
    assert.deepEqual(owners(await ids()), [ANN, BOB]);
  });

  it('fails when none of the mailboxes can be read, and deletes nothing', async () => {
    asOrganization();
    const { ids, id } = await house.follow({ all_users: true });
    for (const email of [ANN, BOB]) fake.settings.forbidden.add(email);
    for (const query of ['', '?force_full_sync=true']) {
      const job = await house.quarry.sync(id, query);
      assert.deepEqual([job.status, job.entities_deleted], ['failed', 0]);
      assert.match(job.error, /none of the mailboxes can be read/);
    }
    assert.deepEqual(owners(await ids()), [ANN, BOB]);
  });

  it('loses only the person for whom Google gives no token any more', async () => {
    const config = { users: [ANN, BOB] };
    const { ids, sync } = await house.follow(config);
    // Google gives no token for a person who has left.
    fake.world.mailboxes.delete(BOB);
    say(ANN, 'stork');
    const job = await sync();
    assert.deepEqual([job.status, job.entities_failed], ['completed', 1]);
    assert.deepEqual(owners(await ids()), [ANN, ANN, BOB]);
  });

  it('says which scope is missing when a person has not granted it', async () => {
    fake.settings.granted = ['https://www.googleapis.com/auth/gmail.labels'];
    fake.acceptToken('of-labels');
    const { status, body } = await house.connect({}, { access_token: 'of-labels' });
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /insufficient authentication scopes/);
    assert.match(JSON.stringify(body), /gmail\.readonly/);
  });

  for (const [name, refusal, says] of [
    ['the domain forbids apps', 'domainPolicy', /have disabled Gmail apps/],
    ['the quota of the day is used up', 'dailyLimit', /Daily Limit Exceeded/],
  ] as const)
    it(`says what Gmail says when ${name}`, async () => {
      fake.peer.fault = () => fake.refusals[refusal];
      const { status, body } = await house.connect();
      assert.ok(status === 422 || status === 429 || status === 503, String(status));
      assert.match(JSON.stringify(body), says);
    });

  it('waits until the time that Gmail names in words', async () => {
    const { waitingSync } = await house.follow();
    let refusals = 0;
    const until = new Date(Date.now() + 1_800_000);
    fake.peer.fault = ({ url }) =>
      url.pathname.endsWith('/history') && refusals++ < 1
        ? fake.refusals.waitUntil(until)
        : undefined;
    const { waitsFor, job } = await waitingSync();
    const seconds = (Date.parse(waitsFor.until) - until.getTime()) / 1000;
    assert.ok(Math.abs(seconds) < 60, `it waits until ${waitsFor.until}`);
    assert.equal(job.status, 'completed');
  });

  it('lets a person choose labels by their names', async () => {
    fake.world.addLabel(fake.world.mailboxOf(ANN), 'Projects/Weir');
    const options = async (field: string, query: string): Promise<string[]> => {
      const found = await house.quarry.ok('POST', '/v1/sources/gmail/options', {
        field,
        query,
        credentials: { service_account: fake.serviceAccount, subject: ANN },
      });
      return found.map(({ value }: { value: string }) => value);
    };
    assert.deepEqual(await options('included_labels', 'weir'), ['Projects/Weir']);
    assert.ok((await options('excluded_labels', '')).includes('SPAM'));
  });
});
