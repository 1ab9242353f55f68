/** Tests how google_drive signs in, what Google refuses, and which message a person gets for a refusal. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { exportPKCS8, generateKeyPair } from 'jose';
import { googleDrive } from '../../sources/catalog/google-drive.ts';
import { CLIENT } from './google-accounts.ts';
import { type DriveHouse, openDriveHouse } from './google-drive-house.ts';
import { type DrivePeer, openDrive } from './google-drive-peer.ts';
import { refused } from './google-drive-refusal.ts';
import { FOLDER } from './google-drive-world.ts';

describe('the sign-in of google_drive', () => {
  let drive: DrivePeer;
  let house: DriveHouse;
  before(async () => {
    drive = await openDrive();
    house = await openDriveHouse(drive);
  });
  after(async () => {
    await house.close();
    await drive.peer.close();
  });
  beforeEach(() => {
    drive.clear();
    drive.world.put({ id: 'a', name: 'a.md', parent: 'root-my', content: 'heron' });
  });

  const tokenRequests = () => drive.tokenRequests.map(({ body }) => new URLSearchParams(body));
  const account = async (id: string) =>
    (await house.quarry.ok('GET', `/v1/source-connections/${id}`)).auth.account;
  const refuseAll = (
    status: number,
    message: string,
    reason: string,
    headers: Record<string, string> = {},
  ) => {
    drive.peer.fault = ({ url }, n) =>
      url.pathname.startsWith('/drive/') && n < 1000
        ? refused(status, message, { reason }, headers)
        : undefined;
  };

  it('[AUTH-37] uses a service account for a person, and requests one token for several syncs', async () => {
    const { id, ids, sync } = await house.follow();
    assert.deepEqual(await ids(), ['a']);
    assert.equal(await account(id), drive.me);
    await sync();
    // The check of a new connection requests a token of its own.
    assert.ok(tokenRequests().length <= 2);
    const [asked] = tokenRequests();
    assert.equal(asked?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  });

  it('[AUTH-37] uses a service account by itself, which sees the files that are shared with it', async () => {
    const { client_email } = JSON.parse(drive.serviceAccount);
    drive.world.put({
      id: 'b',
      name: 'b.md',
      parent: 'elsewhere',
      content: 'egret',
      shared: [{ type: 'user', emailAddress: client_email }],
    });
    const credentials = { service_account: drive.serviceAccount };
    const { id, ids } = await house.follow({}, { credentials });
    assert.deepEqual(await ids(), ['b']);
    assert.equal(await account(id), client_email);
  });

  it('uses tokens of OAuth, which are renewed when Google does not accept them any more', async () => {
    const refresh = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
    });
    const answer = await fetch(drive.operator.tokenUrl, { method: 'POST', body: refresh });
    const { access_token } = (await answer.json()) as { access_token: string };
    const { id, ids, sync } = await house.follow({}, { access_token, refresh_token: 'refresh-1' });
    assert.equal(await account(id), drive.me);
    drive.revoke();
    drive.world.put({ id: 'b', name: 'b.md', parent: 'root-my', content: 'egret' });
    await sync();
    assert.deepEqual(await ids(), ['a', 'b']);
    drive.revoke();
    drive.settings.refreshTokens.clear();
    const ended = await house.quarry.sync(id);
    assert.equal(ended.status, 'failed');
    assert.match(ended.error, /expired or revoked/);
  });

  it('asks Google for a refresh token and for the scope that only reads', () => {
    assert.deepEqual(googleDrive.auth.oauth?.params, { access_type: 'offline', prompt: 'consent' });
    assert.deepEqual(googleDrive.auth.oauth?.scopes, [
      'https://www.googleapis.com/auth/drive.readonly',
    ]);
  });

  it('[AUTH-12] fails with a wrong or broken key, and the error quotes no key', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const other = await exportPKCS8(privateKey);
    for (const [service_account, says] of [
      [
        JSON.stringify({ ...JSON.parse(drive.serviceAccount), private_key: other }),
        /invalid_grant/,
      ],
      [
        JSON.stringify({ client_email: 'a@b.example', private_key: other, x: 1 }).slice(1),
        /JSON key/,
      ],
      ['{"type": "service_account"}', /JSON key/],
    ] as const) {
      const { status, body } = await house.connect({}, { credentials: { service_account } });
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), says);
      assert.ok(!JSON.stringify(body).includes(other.slice(60, 100)));
    }
  });

  it('fails with the error of Google when the account may not act for the person', async () => {
    drive.settings.delegated = [];
    const { status, body } = await house.connect();
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /unauthorized_client: Client is unauthorized/);
  });

  for (const [name, reason, message, code] of [
    [
      'the API is switched off',
      'accessNotConfigured',
      'Google Drive API has not been used',
      'invalid',
    ],
    [
      'the domain forbids apps',
      'domainPolicy',
      'The domain administrators have disabled',
      'invalid',
    ],
    ['a scope is missing', 'insufficientPermissions', 'insufficient scopes', 'credentials_refused'],
  ] as const)
    it(`fails with the message of Google when ${name}`, async () => {
      refuseAll(403, message, reason);
      const { status, body } = await house.connect();
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), new RegExp(message));
      assert.equal(body.code, code);
    });

  for (const reason of ['userRateLimitExceeded', 'rateLimitExceeded'])
    it(`waits when Google answers 403 with ${reason}, and then goes on`, async () => {
      const { waitingSync, ids } = await house.follow();
      drive.world.put({ id: 'b', name: 'b.md', parent: 'root-my', content: 'egret' });
      let refusals = 0;
      drive.peer.fault = ({ url }) =>
        url.pathname.endsWith('/changes') && refusals++ < 1
          ? refused(403, 'User Rate Limit Exceeded', { reason })
          : undefined;
      const { job, waitsFor } = await waitingSync();
      assert.match(JSON.stringify(waitsFor), /User Rate Limit Exceeded/);
      assert.deepEqual([job.status, job.entities_failed], ['completed', 0]);
      assert.deepEqual(await ids(), ['a', 'b']);
      assert.equal(refusals, 2);
    });

  it('waits within the same attempt for as long as Retry-After says', async () => {
    let refusals = 0;
    drive.peer.fault = ({ url }) =>
      url.pathname.endsWith('/files') && refusals++ < 1
        ? refused(403, 'Slow down', { reason: 'rateLimitExceeded' }, { 'retry-after': '1' })
        : undefined;
    const { first } = await house.follow();
    assert.equal(first.sync_metadata.attempt, 1);
  });

  it('lets a person choose shared drives and folders by their names', async () => {
    drive.world.put({ id: 'f1', name: "Ann's plans", parent: 'root-my', mimeType: FOLDER });
    drive.world.put({ id: 'f2', name: 'Budget', parent: 'root-my', mimeType: FOLDER });
    drive.world.putDrive('0APlans', 'Planning', [{ type: 'user', emailAddress: drive.me }]);
    const options = async (query: string): Promise<string[]> => {
      const found = await house.quarry.ok('POST', '/v1/sources/google_drive/options', {
        field: 'folders',
        query,
        credentials: { service_account: drive.serviceAccount, subject: drive.me },
      });
      return found.map(({ value }: { value: string }) => value);
    };
    assert.deepEqual(await options(''), ['0APlans', 'f1', 'f2']);
    assert.deepEqual(await options('PLAN'), ['0APlans', 'f1']);
    assert.deepEqual(await options("ann's"), ['f1']);
  });
});
