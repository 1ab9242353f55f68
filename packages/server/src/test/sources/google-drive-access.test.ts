/** Tests who may find a file of google_drive, by searches on behalf of people. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { json } from './cloud-peer.ts';
import { type DriveHouse, openDriveHouse } from './google-drive-house.ts';
import { type DrivePeer, openDrive } from './google-drive-peer.ts';
import { refused } from './google-drive-refusal.ts';
import type { SharedWith } from './google-drive-world.ts';

const BOB = 'bob@acme.example';
const ENG = '0AEngineering';
const SCOPE = 'group:google_drive/acme.example';
const DIRECTORY = [
  'https://www.googleapis.com/auth/admin.directory.group.readonly',
  'https://www.googleapis.com/auth/admin.directory.user.readonly',
];

describe('access to files of google_drive', () => {
  let drive: DrivePeer;
  let world: DrivePeer['world'];
  let house: DriveHouse;
  before(async () => {
    drive = await openDrive();
    world = drive.world;
    house = await openDriveHouse(drive);
  });
  after(async () => {
    await house.close();
    await drive.peer.close();
  });
  beforeEach(() => drive.clear());

  const user = (emailAddress: string): SharedWith => ({ type: 'user', emailAddress });
  const group = (emailAddress: string): SharedWith => ({ type: 'group', emailAddress });
  const file = (id: string, shared: SharedWith[], more: object = {}) =>
    world.put({ id, name: `${id}.md`, parent: 'root-my', content: `heron ${id}`, shared, ...more });
  const asked = (path: RegExp) =>
    drive.peer.requests.filter(({ url }) => path.test(url.pathname)).length;

  it('people, groups, domains and everybody find a file that Google shares with them, and people who need a link do not', async () => {
    file('mine', []);
    file('of-bob', [user('Bob@Acme.example')]);
    file('of-eng', [group('Eng@acme.example')]);
    file('of-acme', [{ type: 'domain', domain: 'acme.example', allowFileDiscovery: true }]);
    file('acme-link', [{ type: 'domain', domain: 'acme.example', allowFileDiscovery: false }]);
    file('public', [{ type: 'anyone', allowFileDiscovery: true }]);
    file('link', [{ type: 'anyone', allowFileDiscovery: false }]);
    file('of-the-deleted', [{ ...user(BOB), deleted: true }]);
    file('until-2020', [{ ...user(BOB), expirationTime: '2020-01-31T00:00:00.000Z' }]);
    file('until-9999', [{ ...user(BOB), expirationTime: '9999-01-31T00:00:00.000Z' }]);
    file('of-the-writer', [{ ...user(BOB), role: 'writer' }]);
    file('of-an-unknown-role', [{ ...user(BOB), role: 'publishedReader' }]);
    file('only-published', [{ ...user(BOB), view: 'published' }]);
    const { having } = await house.follow();
    assert.equal((await having('heron')).length, 13);
    assert.equal((await having('heron', `user:${drive.me}`)).length, 13);
    assert.deepEqual(await having('heron', `user:${BOB}`), [
      'of-bob',
      'of-the-writer',
      'public',
      'until-9999',
    ]);
    assert.deepEqual(await having('heron', `${SCOPE}/eng@acme.example`), ['of-eng', 'public']);
    assert.deepEqual(await having('heron', `${SCOPE}/domain:acme.example`), ['of-acme', 'public']);
    // The listing has the permissions of the account's own files.
    assert.equal(asked(/permissions/), 0);
  });

  it('permissions in shared drives are requested page by page, and only after a change of the file', async () => {
    world.putDrive(ENG, 'Engineering', [user(drive.me), group('eng@acme.example')]);
    file('plan', [user(BOB)], { parent: ENG, owner: '' });
    file('notes', [], { parent: ENG, owner: '' });
    drive.settings.largestPage = 1;
    const { having, full } = await house.follow();
    assert.equal(asked(/plan\/permissions/), 3);
    assert.deepEqual(await having('heron', `user:${BOB}`), ['plan']);
    assert.deepEqual(await having('heron', `${SCOPE}/eng@acme.example`), ['notes', 'plan']);
    drive.peer.requests.length = 0;
    await full();
    assert.equal(asked(/permissions/), 0);
  });

  it('only the owner and the account find a file whose permissions Google does not show', async () => {
    file('of-bob', [user(drive.me), user('eve@acme.example')], { parent: 'elsewhere', owner: BOB });
    // The account is not a member of the drive, so it may not read the permissions.
    world.putDrive(ENG, 'Engineering', []);
    file('plan', [user(drive.me)], { parent: ENG, owner: '' });
    drive.peer.fault = ({ url }) =>
      url.pathname.endsWith('/permissions')
        ? refused(403, 'No', { reason: 'insufficientFilePermissions' })
        : undefined;
    const { having, first } = await house.follow();
    assert.equal(first.entities_failed, 0);
    assert.deepEqual(await having('heron', `user:${drive.me}`), ['of-bob', 'plan']);
    assert.deepEqual(await having('heron', `user:${BOB}`), ['of-bob']);
    assert.deepEqual(await having('heron', 'user:eve@acme.example'), []);
  });

  it('access changes when a file is shared or no longer shared, and when people join or leave a drive', async () => {
    file('mine', [user(BOB)]);
    world.putDrive(ENG, 'Engineering', [user(drive.me), user(BOB)]);
    file('plan', [], { parent: ENG, owner: '' });
    const { having, sync } = await house.follow();
    assert.deepEqual(await having('heron', `user:${BOB}`), ['mine', 'plan']);
    world.change('mine', { shared: [] });
    world.changeDrive(ENG, { members: [user(drive.me), user('eve@acme.example')] });
    const job = await sync();
    assert.deepEqual([job.entities_updated, job.sync_metadata.full], [2, false]);
    assert.deepEqual(await having('heron', `user:${BOB}`), []);
    assert.deepEqual(await having('heron', 'user:eve@acme.example'), ['plan']);
  });

  it('[ENT-24] groups carry source and account, so that groups of other sources or accounts give no access', async () => {
    drive.settings.delegated.push(...DIRECTORY);
    drive.settings.isAdmin = true;
    drive.settings.largestPage = 1;
    world.people.push(drive.me, BOB, 'eve@other.example');
    world.groups.push(
      { email: 'all@acme.example', members: [{ type: 'GROUP', email: 'eng@acme.example' }] },
      {
        email: 'eng@acme.example',
        members: [
          { type: 'USER', email: 'Bob@acme.example' },
          { type: 'USER', email: drive.me },
        ],
      },
      { email: 'everyone@acme.example', members: [{ type: 'CUSTOMER' }] },
    );
    file('of-eng', [group('eng@acme.example')]);
    file('of-all', [group('all@acme.example')]);
    file('of-everyone', [group('everyone@acme.example')]);
    file('of-other', [{ type: 'domain', domain: 'other.example', allowFileDiscovery: true }]);
    const { having } = await house.follow({ groups: true });
    const bobs = ['of-all', 'of-eng', 'of-everyone'];
    assert.deepEqual(await having('heron', `user:${BOB}`), bobs);
    assert.deepEqual(await having('heron', 'user:eve@other.example'), ['of-everyone', 'of-other']);
    // A group of another source, of a push or of another account has the same name and opens nothing.
    for (const name of [
      'group:eng@acme.example',
      'group:google_drive/eng@acme.example',
      'group:google_drive/other.example/eng@acme.example',
      'group:github/acme.example/eng@acme.example',
    ])
      assert.deepEqual(await having('heron', name), [], name);
    assert.deepEqual(await having('heron', `${SCOPE}/eng@acme.example`), ['of-all', 'of-eng']);
  });

  it('a group whose members may not be read is nobody, and the members of others are read', async () => {
    drive.settings.delegated.push(...DIRECTORY);
    drive.settings.isAdmin = true;
    world.people.push(drive.me, BOB);
    const members = [{ type: 'USER', email: BOB }];
    for (const name of ['closed', 'open']) {
      world.groups.push({ email: `${name}@acme.example`, members });
      file(`of-${name}`, [group(`${name}@acme.example`)]);
    }
    const error = { code: 403, message: 'Not Authorized to access this resource/api', errors: [] };
    drive.peer.fault = ({ url }) =>
      /closed.*\/members$/.test(url.pathname) ? json(403, { error }) : undefined;
    const { having } = await house.follow({ groups: true });
    assert.deepEqual(await having('heron', `user:${BOB}`), ['of-open']);
  });

  it('no directory is requested without `groups`, and a connection with `groups` is refused when the account may not read the directory', async () => {
    file('of-ops', [group('ops@acme.example')]);
    const { having, full } = await house.follow();
    await full();
    assert.equal(asked(/^\/admin/), 0);
    assert.deepEqual(await having('heron', `user:${BOB}`), []);
    const notAllowed = await house.connect({ groups: true });
    assert.equal(notAllowed.status, 422);
    assert.match(JSON.stringify(notAllowed.body), /unauthorized_client/);
    drive.settings.delegated.push(...DIRECTORY);
    const noAdmin = await house.connect({ groups: true });
    assert.equal(noAdmin.status, 422);
    assert.match(
      JSON.stringify(noAdmin.body),
      /members of groups cannot be read.*Not Authorized to access this resource/,
    );
  });
});
