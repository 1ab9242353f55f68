/** Tests what google_drive lists, and what it follows by the logs of changes of a Drive and its shared drives. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { googleDrive } from '../../sources/catalog/google-drive.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { type DriveHouse, openDriveHouse } from './google-drive-house.ts';
import { type DrivePeer, openDrive } from './google-drive-peer.ts';
import { refused } from './google-drive-refusal.ts';
import { FOLDER } from './google-drive-world.ts';
import { itemsOf, lastCursor, pullAll } from './harness.ts';

const ENG = '0AEngineering';
const SALES = '0ASales';
const BOB = 'bob@acme.example';
const SHORTCUT = 'application/vnd.google-apps.shortcut';

describe('google_drive lists and follows', () => {
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

  const me = () => ({ type: 'user', emailAddress: drive.me }) as const;
  const folder = (id: string, parent = 'root-my') =>
    world.put({ id, name: `Folder ${id}`, parent, mimeType: FOLDER });
  const file = (id: string, parent = 'root-my', more: object = {}) =>
    world.put({ id, name: `${id}.md`, parent, content: `word-${id}`, ...more });
  /** Two drives, two folders in each other, and a file in each of these places. */
  function company() {
    folder('f1');
    folder('f2', 'f1');
    file('top');
    file('in-f1', 'f1');
    file('in-f2', 'f2');
    world.putDrive(ENG, 'Engineering', [me()]);
    folder('e1', ENG);
    file('in-eng', ENG);
    file('in-e1', 'e1');
    world.putDrive(SALES, 'Sales', [me()]);
    file('in-sales', SALES);
  }
  const ALL = ['in-e1', 'in-eng', 'in-f1', 'in-f2', 'in-sales', 'top'];
  const asked = (path: RegExp) =>
    drive.peer.requests.filter(({ url }) => path.test(url.pathname + url.search));
  const downloads = () => asked(/alt=media|\/export/).length;

  it('lists My Drive, shared drives and what is shared, without folders, shortcuts and trash', async () => {
    company();
    file('shared', 'elsewhere', { owner: BOB, shared: [me()] });
    file('not-mine', 'elsewhere', { owner: BOB });
    file('trashed', 'f1', { isTrashed: true });
    file('shortcut', 'f1', { mimeType: SHORTCUT });
    const { ids, record, first } = await house.follow();
    assert.deepEqual(await ids(), [...ALL, 'shared'].toSorted());
    assert.deepEqual([first.entities_failed, first.entities_skipped], [0, 0]);
    const { name, url, breadcrumbs, metadata, md_content } = await record('in-f2').then(
      (found) => ({
        ...found,
        name: found.metadata.name,
      }),
    );
    assert.equal(name, 'in-f2.md');
    assert.match(md_content, /word-in-f2/);
    assert.equal(url, 'https://drive.google.com/file/d/in-f2/view');
    assert.match(JSON.stringify(breadcrumbs), /My Drive.*Folder f1.*Folder f2/);
    assert.deepEqual(
      [metadata.mime_type, metadata.owners, metadata.updated_at],
      [
        'text/markdown',
        [drive.me],
        new Date(must(world.files.get('in-f2')).modifiedAt).toISOString(),
      ],
    );
    // The folder above is not visible, and Google calls the root of a shared drive "Drive".
    assert.doesNotMatch(JSON.stringify((await record('shared')).breadcrumbs), /Folder|Drive/);
    assert.match(JSON.stringify((await record('in-e1')).breadcrumbs), /Engineering.*Folder e1/);
  });

  it('lists page by page, and asks for few folders one by one', async () => {
    company();
    drive.settings.largestPage = 2;
    const { ids } = await house.follow();
    assert.deepEqual(await ids(), ALL);
    assert.deepEqual(
      asked(/\/files\/[^/?]+\?fields/).map(({ url }) => url.pathname.split('/').at(-1)),
      ['root-my'],
    );
  });

  it('finds what changes while it lists, because the log is followed from before the listing', async () => {
    company();
    drive.peer.fault = ({ url }) => {
      if (url.pathname.endsWith('/files') && !world.files.has('late')) {
        file('late', 'f1');
        must(world.files.get('late')).isTrashed = true;
      }
      if (url.pathname.endsWith('/changes')) must(world.files.get('late')).isTrashed = false;
      return undefined;
    };
    const { ids } = await house.follow();
    assert.deepEqual(await ids(), [...ALL, 'late'].toSorted());
  });

  it('follows a drive that it lists later from before the listing, and keeps one that is lost as still to be listed', async () => {
    company();
    const settings = {
      config: {},
      credentials: { service_account: drive.serviceAccount, subject: drive.me },
      operatorBaseUrl: drive.peer.baseUrl,
    };
    const pull = async (cursor: unknown) => {
      const items = await pullAll(googleDrive, settings, { cursor });
      const { tokens } = lastCursor(items) as { tokens: Record<string, string> };
      return { tokens, ids: itemsOf(items, 'stub').map(({ id }) => id) };
    };
    const { my } = (await pull(null)).tokens;
    drive.settings.forbidden.add(SALES);
    let isListed = false;
    drive.peer.fault = ({ url }) => {
      const isOfEng = url.pathname.endsWith('/files') && url.searchParams.get('driveId') === ENG;
      if (isListed && !isOfEng && !world.files.has('late')) file('late', ENG);
      isListed ||= isOfEng;
      return undefined;
    };
    const begun = await pull({ tokens: { my } });
    assert.deepEqual(begun.ids.toSorted(), ['in-e1', 'in-eng', 'late']);
    assert.deepEqual(Object.keys(begun.tokens).toSorted(), [ENG, SALES, 'my'].toSorted());
    assert.equal(begun.tokens[SALES], '');
    assert.deepEqual((await pull({ tokens: begun.tokens })).ids, []);
  });

  it('asks only for what has changed', async () => {
    company();
    const { sync, full, having } = await house.follow();
    drive.peer.requests.length = 0;
    const nothing = await sync();
    assert.deepEqual([nothing.entities_kept, nothing.sync_metadata.full], [0, false]);
    assert.equal(asked(/\/files/).length, 0);
    world.change('in-e1', { content: 'osprey' });
    world.change('top', { content: 'heron' });
    const some = await sync();
    assert.deepEqual([some.entities_updated, downloads()], [2, 2]);
    assert.deepEqual([await having('heron'), await having('osprey')], [['top'], ['in-e1']]);
    const again = await full();
    assert.deepEqual([again.entities_kept, again.entities_updated, downloads()], [6, 0, 2]);
  });

  it('follows a file that is moved between folders and between drives', async () => {
    company();
    const { sync, ids, record } = await house.follow();
    world.change('in-f2', { parent: 'root-my' });
    await sync();
    assert.doesNotMatch(JSON.stringify((await record('in-f2')).breadcrumbs), /Folder/);
    world.change('in-f2', { parent: ENG, owner: '' });
    world.change('in-eng', { parent: SALES });
    const moved = await sync();
    assert.equal(moved.entities_deleted, 0);
    assert.match(JSON.stringify((await record('in-f2')).breadcrumbs), /Engineering/);
    world.changeDrive(ENG, { members: [] });
    await sync();
    assert.deepEqual(await ids(), ['in-eng', 'in-f1', 'in-sales', 'top']);
  });

  it('loses what is in a trashed folder, and finds it again when the folder is put back', async () => {
    company();
    file('other', 'f1', { isTrashed: true });
    const { sync, ids } = await house.follow();
    world.change('f1', { isTrashed: true });
    world.change('e1', { isTrashed: true });
    drive.settings.largestPage = 1;
    await sync();
    assert.deepEqual(await ids(), ['in-eng', 'in-sales', 'top']);
    world.change('f1', { isTrashed: false });
    world.change('e1', { isTrashed: false });
    await sync();
    assert.deepEqual(await ids(), ALL);
  });

  it('keeps a file that moves to another drive before its drive is listed again, is left or is deleted', async () => {
    const listingOf = (corpus: string) => (url: URL) =>
      url.pathname.endsWith('/files') &&
      (url.searchParams.get('driveId') ?? 'my') === corpus &&
      url.searchParams.get('q') === 'trashed = false';
    for (const [from, to] of [
      [ENG, 'root-my'],
      ['f2', ENG],
      [ENG, SALES],
      [SALES, ENG],
    ] as const)
      for (const isFull of [false, true]) {
        drive.clear();
        company();
        file('heron', from);
        const { sync, full, ids } = await house.follow();
        // A folder that is gone for good lets its corpus be listed again.
        if (from === 'f2') world.remove(folder('f3').id);
        else world.changeDrive(from, { name: 'Other' });
        const isListing = listingOf(from === 'f2' ? 'my' : from);
        const move = () => world.change('heron', { parent: to });
        drive.peer.fault = ({ url }) => {
          if (isListing(url) && world.files.get('heron')?.parent === from) move();
          return undefined;
        };
        const job = await (isFull ? full() : sync());
        drive.peer.fault = () => undefined;
        assert.equal(world.files.get('heron')?.parent, to, `${from} ${to}`);
        assert.equal(job.entities_deleted, 0, `${from} ${to} ${isFull}`);
        assert.ok((await ids()).includes('heron'));
        if (to !== 'root-my') continue;
        world.change('heron', { parent: SALES });
        world.removeDrive(ENG);
        const { entities_deleted } = await sync();
        // The two files that were still in the drive are deleted.
        assert.equal(entities_deleted, 2);
        assert.ok((await ids()).includes('heron'));
        world.change('heron', { parent: 'root-my' });
        world.removeDrive(SALES);
        assert.equal((await sync()).entities_deleted, 1);
        assert.ok((await ids()).includes('heron'));
      }
  });

  it('loses what is in a trashed folder of which Google does not list a part, or not to its end', async () => {
    for (const answer of [
      refused(403, 'The user cannot list it.', { reason: 'forbidden' }),
      json(200, { kind: 'drive#fileList', files: [], incompleteSearch: true }),
    ])
      for (const inner of ['', "'f2' "]) {
        drive.clear();
        company();
        const { sync, ids } = await house.follow();
        world.change('f1', { isTrashed: true });
        drive.peer.fault = ({ url }) =>
          url.searchParams.get('q')?.includes(`${inner}in parents`) ? answer : undefined;
        await sync();
        assert.deepEqual(await ids(), ['in-e1', 'in-eng', 'in-sales', 'top']);
      }
  });

  it('shows the new name and place of a folder with all files below it', async () => {
    company();
    const { sync, record } = await house.follow();
    world.change('f1', { name: 'Archive' });
    await sync();
    for (const id of ['in-f1', 'in-f2'])
      assert.match(JSON.stringify((await record(id)).breadcrumbs), /My Drive.*Archive/);
    world.change('f1', { parent: 'e1', owner: '' });
    for (const id of ['f2', 'in-f1', 'in-f2']) must(world.files.get(id)).owner = '';
    await sync();
    assert.match(
      JSON.stringify((await record('in-f2')).breadcrumbs),
      /Engineering.*Folder e1.*Archive.*Folder f2/,
    );
  });

  it('loses what is removed for good, and what is not shared any more', async () => {
    company();
    file('shared', 'elsewhere', { owner: BOB, shared: [me()] });
    const { sync, ids, having } = await house.follow();
    world.remove('f1');
    world.remove('in-e1');
    world.change('shared', { shared: [] });
    await sync();
    assert.deepEqual(await ids(), ['in-eng', 'in-sales', 'top']);
    assert.deepEqual(await having('word-shared'), []);
  });

  it('loses what is in a folder of a shared drive that no longer lets the account list it', async () => {
    company();
    must(world.files.get('in-e1')).owner = '';
    const { sync, ids } = await house.follow();
    world.change('e1', { isLimited: true });
    await sync();
    assert.deepEqual(
      await ids(),
      ALL.filter((id) => id !== 'in-e1'),
    );
    world.change('e1', { isLimited: false });
    await sync();
    assert.deepEqual(await ids(), ALL);
  });

  it('lists a drive once more when more may be gone from it than was while it was listed', async () => {
    for (const isFull of [true, false]) {
      drive.clear();
      company();
      folder('e2', ENG);
      file('in-e2', 'e2');
      let asking = 0;
      // The folder goes after its drive was listed, and before the log is followed once more.
      const removeAt = (time: number) => {
        drive.peer.fault = ({ url }) => {
          const isLog =
            url.pathname.endsWith('/changes') && url.searchParams.get('driveId') === ENG;
          if (isLog && ++asking === time) world.remove('e2');
          return undefined;
        };
      };
      if (isFull) removeAt(1);
      const { sync, ids } = await house.follow();
      if (!isFull) {
        world.remove('e1');
        removeAt(2);
        await sync();
      }
      drive.peer.fault = () => undefined;
      await sync();
      assert.deepEqual(await ids(), isFull ? ALL : ALL.filter((id) => id !== 'in-e1'));
    }
  });

  it('lists a corpus again in the next sync when it is interrupted after it has read that a folder is gone', async () => {
    company();
    const settings = {
      config: {},
      credentials: { service_account: drive.serviceAccount, subject: drive.me },
      operatorBaseUrl: drive.peer.baseUrl,
    };
    const cursor = lastCursor(await pullAll(googleDrive, settings));
    world.remove('f1');
    const [first] = itemsOf(await pullAll(googleDrive, settings, { cursor }), 'checkpoint').slice(
      1,
    );
    const again = await pullAll(googleDrive, settings, { cursor: first?.cursor });
    assert.deepEqual(
      itemsOf(again, 'listed').map(({ partition }) => partition),
      ['my'],
    );
    assert.deepEqual(
      itemsOf(again, 'stub').map(({ id }) => id),
      ['top'],
    );
  });

  it('loses a shared drive that is gone or left, and lists one that it joins', async () => {
    company();
    const { sync, ids } = await house.follow();
    world.changeDrive(ENG, { members: [] });
    world.removeDrive(SALES);
    const left = await sync();
    assert.deepEqual(await ids(), ['in-f1', 'in-f2', 'top']);
    assert.equal(left.entities_failed, 0);
    world.changeDrive(ENG, { members: [me()] });
    const joined = await sync();
    assert.deepEqual(await ids(), ['in-e1', 'in-eng', 'in-f1', 'in-f2', 'top']);
    assert.equal(joined.sync_metadata.full, false);
    world.change('in-e1', { isTrashed: true });
    await sync();
    assert.ok(!(await ids()).includes('in-e1'));
  });

  it('keeps a shared drive that it may not list, goes on with the rest, and lists it when it may', async () => {
    company();
    drive.settings.forbidden.add(SALES);
    const { first, sync, full, ids, failures } = await house.follow();
    assert.deepEqual(
      await ids(),
      ALL.filter((id) => id !== 'in-sales'),
    );
    assert.match(JSON.stringify(await failures(first)), /does not have sufficient permissions/);
    drive.settings.forbidden.clear();
    await sync();
    assert.deepEqual(await ids(), ALL);
    drive.settings.forbidden.add(SALES);
    world.change('top', { content: 'heron' });
    const partial = await sync();
    assert.deepEqual([partial.entities_updated, partial.entities_failed], [1, 1]);
    await full();
    assert.deepEqual(await ids(), ALL);
    drive.settings.forbidden.clear();
    world.remove('in-sales');
    file('new-sales', SALES);
    await sync();
    assert.ok((await ids()).includes('new-sales'));
  });

  it('deletes what it has of a shared drive that it could not list again and that is gone by now', async () => {
    company();
    const { sync, full, ids } = await house.follow();
    drive.settings.forbidden.add(SALES);
    await full();
    assert.deepEqual(await ids(), ALL);
    world.removeDrive(SALES);
    await sync();
    assert.deepEqual(
      await ids(),
      ALL.filter((id) => id !== 'in-sales'),
    );
  });

  it('lists a shared drive again whose name has changed', async () => {
    company();
    const { sync, record } = await house.follow();
    world.changeDrive(ENG, { name: 'Research' });
    await sync();
    for (const id of ['in-eng', 'in-e1'])
      assert.match(JSON.stringify((await record(id)).breadcrumbs), /Research/);
  });

  it('does not take a search that Google has not finished for a listing', async () => {
    company();
    const { full, ids } = await house.follow();
    drive.settings.isIncomplete = true;
    world.remove('in-sales');
    await full();
    assert.deepEqual(await ids(), ALL);
    drive.settings.isIncomplete = false;
    await full();
    assert.deepEqual(
      await ids(),
      ALL.filter((id) => id !== 'in-sales'),
    );
  });

  it('does not take an answer without its kind for an empty list', async () => {
    company();
    const { id, ids } = await house.follow();
    for (const path of ['files', 'drives'])
      for (const odd of [{}, { [path]: [] }, { kind: 'drive#about' }]) {
        drive.peer.fault = ({ url }) =>
          url.pathname.endsWith(`/v3/${path}`) ? json(200, odd) : undefined;
        const job = await house.quarry.sync(id, '?force_full_sync=true');
        assert.deepEqual([job.status, job.entities_deleted], ['failed', 0]);
        assert.deepEqual(await ids(), ALL);
      }
  });

  it('takes a list that Google leaves out for an empty one', async () => {
    file('top');
    drive.peer.fault = ({ url }) =>
      url.pathname.endsWith('/drives') ? json(200, { kind: 'drive#driveList' }) : undefined;
    const { full, ids } = await house.follow();
    assert.deepEqual(await ids(), ['top']);
    drive.peer.fault = ({ url }) =>
      url.pathname.endsWith('/files') ? json(200, { kind: 'drive#fileList' }) : undefined;
    world.remove('top');
    await full();
    assert.deepEqual(await ids(), []);
  });

  it('goes on at the page at which an earlier attempt was interrupted', async () => {
    company();
    for (let i = 0; i < 6; i++) file(`more-${i}`);
    drive.settings.largestPage = 3;
    let pages = 0;
    drive.peer.fault = ({ url }) => {
      const isSales = url.searchParams.get('driveId') === SALES && url.pathname.endsWith('/files');
      return isSales && pages++ < 4 ? { status: 500, body: '{}' } : undefined;
    };
    const { first, ids } = await house.follow();
    assert.equal(first.sync_metadata.attempt, 2);
    assert.deepEqual(
      await ids(),
      [...ALL, ...[0, 1, 2, 3, 4, 5].map((i) => `more-${i}`)].toSorted(),
    );
    assert.equal(asked(/corpora=user/).length, 4);
    assert.equal(asked(/startPageToken/).length, 3);
  });

  for (const [name, answer] of [
    ['400', null],
    ['404', { status: 404, reason: 'notFound' }],
    ['410', { status: 410, reason: 'deleted' }],
  ] as const)
    it(`begins again when Google answers ${name} to a place in the log of changes`, async () => {
      company();
      const { sync, ids } = await house.follow();
      world.remove('in-eng');
      let isForgotten = true;
      if (answer)
        drive.peer.fault = ({ url }) => {
          if (url.pathname.endsWith('/startPageToken')) isForgotten = false;
          return isForgotten && url.pathname.endsWith('/changes')
            ? refused(answer.status, 'No longer known', { reason: answer.reason })
            : undefined;
        };
      else drive.forgetPlaces();
      const job = await sync();
      assert.deepEqual([job.sync_metadata.full, job.entities_deleted], [true, 1]);
      assert.deepEqual(
        await ids(),
        ALL.filter((id) => id !== 'in-eng'),
      );
      drive.peer.fault = () => undefined;
      assert.equal((await sync()).sync_metadata.full, false);
    });

  it('reads the folders and drives of the configuration, with what is moved into and out of them', async () => {
    company();
    const { sync, ids, id, full } = await house.follow({ folders: ['f2', ENG] });
    assert.deepEqual(await ids(), ['in-e1', 'in-eng', 'in-f2']);
    assert.equal(asked(new RegExp(`driveId=${SALES}`)).length, 0);
    world.change('top', { parent: 'f2' });
    world.change('in-f2', { parent: 'f1' });
    await sync();
    assert.deepEqual(await ids(), ['in-e1', 'in-eng', 'top']);
    world.change('f2', { parent: 'root-my' });
    world.change('f1', { parent: 'f2' });
    await sync();
    assert.deepEqual(await ids(), ['in-e1', 'in-eng', 'in-f1', 'in-f2', 'top']);
    world.remove('f2');
    const gone = await full();
    assert.deepEqual(await ids(), ['in-e1', 'in-eng']);
    const failures = await house.quarry.ok(
      'GET',
      `/v1/source-connections/${id}/jobs/${gone.id}/failures`,
    );
    assert.match(JSON.stringify(failures), /the account does not see the folder 'f2'/);
  });

  it('leaves out shared drives, or what is shared by others, when the configuration says so', async () => {
    company();
    file('shared', 'elsewhere', { owner: BOB, shared: [me()] });
    world.putDrive('0AOther', 'Other', []);
    file('in-other', '0AOther', { owner: '', shared: [me()] });
    const own = ['in-f1', 'in-f2', 'top'];
    const withoutDrives = await house.follow({ shared_drives: false });
    assert.deepEqual(await withoutDrives.ids(), [...own, 'shared'].toSorted());
    const withoutShared = await house.follow({ shared_with_me: false });
    assert.deepEqual(await withoutShared.ids(), ALL);
    const all = await house.follow();
    assert.deepEqual(await all.ids(), [...ALL, 'in-other', 'shared'].toSorted());
  });

  it('refuses a folder that the account does not see', async () => {
    company();
    const { status, body } = await house.connect({ folders: ['f1', 'nowhere'] });
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /does not see the folder 'nowhere'/);
    assert.equal((await house.connect({ folders: ["' or 1"] })).status, 422);
  });
});
