/** Tests what is special about sharepoint_online: paths, permissions, deletions, and drives that begin again. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sharepointOnline } from '../../sources/catalog/sharepoint-online.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import type { GraphDrive, GraphItem, GraphSite } from './graph-drive-records.ts';
import { type GraphHouse, openGraphHouse } from './graph-house.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';

const SCOPE = 'group:sharepoint_online/acme.sharepoint.example';
const ANN = 'user:ann@acme.example';

describe('sharepoint_online', () => {
  let graph: GraphPeer;
  let house: GraphHouse;
  let drives: GraphPeer['drives'];
  let site: GraphSite;
  let library: GraphDrive;
  before(async () => {
    graph = await openGraph();
    drives = graph.drives;
    house = await openGraphHouse(sharepointOnline, graph);
  });
  after(async () => {
    await house.close();
    await graph.peer.close();
  });
  let made = 0;
  beforeEach(() => {
    for (const one of [...drives.sites.values()]) drives.removeSite(one);
    drives.addSite('Root', { path: '/' });
    site = drives.addSite(`Sales${++made}`);
    library = drives.addDrive(site, 'Documents');
    Object.assign(graph.settings, { largestPage: 1000, deletesSilently: false, spoil: null });
    graph.settings.forbidden.clear();
    graph.peer.fault = () => undefined;
    graph.peer.requests.length = 0;
  });
  const idOf = ({ driveId, id }: GraphItem) => `${driveId}/${id}`;
  const asked = (path: RegExp) =>
    graph.peer.requests.filter(({ url }) => path.test(url.pathname)).length;

  it('a file has the path of its folders, also after one of them is renamed or moved', async () => {
    const a = drives.addFolder(library, 'Plans');
    const b = drives.addFolder(a, 'Year');
    const file = drives.addFile(b, 'goals.md', 'the heron waits');
    const { record, sync, having } = await house.follow();
    const found = await record('heron');
    assert.deepEqual(found.breadcrumbs, [`Sales${made}`, 'Documents', 'Plans', 'Year']);
    drives.rename(a, 'Old plans');
    await sync();
    assert.deepEqual((await record('heron')).breadcrumbs.slice(2), ['Old plans', 'Year']);
    drives.move(b, library);
    const job = await sync();
    assert.deepEqual((await record('heron')).breadcrumbs.slice(2), ['Year']);
    assert.deepEqual([job.entities_inserted, job.entities_deleted], [0, 0]);
    assert.deepEqual(await having('heron'), [idOf(file)]);
  });

  it('a file that was listed before its folder was renamed has the new path', async () => {
    const folder = drives.addFolder(library, 'Plans');
    drives.addFile(folder, 'goals.md', 'the heron waits');
    for (let i = 0; i < 5; i++) drives.addFile(library, `${i}.md`, `file ${i}`);
    graph.settings.largestPage = 3;
    let listings = 0;
    graph.peer.fault = ({ url }) => {
      const isListing =
        url.pathname.endsWith('/delta') && url.searchParams.get('token') !== 'latest';
      if (isListing && ++listings === 2) drives.rename(folder, 'Old plans');
      return undefined;
    };
    const { record } = await house.follow();
    assert.deepEqual((await record('heron')).breadcrumbs.slice(2), ['Old plans']);
  });

  it('people and groups find a file that is shared with them, and links let nobody find it', async () => {
    const { ann, bob, guest } = graph.directory;
    const inner = graph.directory.addGroup('Inner', [bob]);
    const outer = graph.directory.addGroup('Outer', [inner], { isUnified: true });
    const file = (name: string, grants: GraphItem['grants']) =>
      idOf(drives.addFile(library, `${name}.md`, `heron ${name}`, { grants }));
    const ofAnn = file('ann', [{ to: 'user', ids: [ann.id] }]);
    const ofBob = file('bob', [{ to: 'user', ids: [bob.id] }]);
    const ofOuter = file('outer', [{ to: 'group', ids: [outer.id] }]);
    const ofAll = file('all', [{ to: 'everyone' }]);
    const ofGuest = file('guest', [{ to: 'users', ids: [guest.id] }]);
    file('site', [{ to: 'siteGroup', ids: ['Sales Members'] }]);
    file('anonymous', [{ to: 'anonymous' }]);
    file('organization', [{ to: 'organization' }]);
    file('strange', [{ to: 'user', ids: [ann.id], roles: ['sp.limited access'] }]);
    const { having } = await house.follow();
    assert.equal((await having('heron')).length, 9);
    assert.deepEqual(await having('heron', ANN), [ofAll, ofAnn].toSorted());
    assert.deepEqual(
      await having('heron', 'user:bob@acme.example'),
      [ofAll, ofBob, ofOuter].toSorted(),
    );
    assert.deepEqual(await having('heron', 'user:gus@partner.example'), [ofGuest]);
    assert.deepEqual(await having('heron', `${SCOPE}/${outer.id}`), [ofOuter]);
  });

  it('a change of permissions is followed, at a file, at a folder above it, and at the library', async () => {
    const { ann } = graph.directory;
    const folder = drives.addFolder(library, 'Plans');
    const inner = drives.addFolder(folder, 'Year');
    const file = drives.addFile(inner, 'goals.md', 'heron');
    const { having, sync, full } = await house.follow();
    assert.deepEqual(await having('heron', ANN), []);
    const root = [...drives.items.values()].find(({ id }) => id === library.rootId) as GraphItem;
    for (const item of [file, folder]) {
      drives.share(item, [{ to: 'user', ids: [ann.id] }]);
      await sync();
      assert.deepEqual(await having('heron', ANN), [idOf(file)]);
      drives.share(item, []);
      await full();
      assert.deepEqual(await having('heron', ANN), []);
    }
    drives.share(root, [{ to: 'user', ids: [ann.id] }]);
    await sync();
    assert.deepEqual(await having('heron', ANN), [idOf(file)]);
  });

  it('a permission of the library that could not be followed to its end is followed by the next sync', async () => {
    const { ann } = graph.directory;
    const root = must(drives.items.get(library.rootId));
    drives.share(root, [{ to: 'user', ids: [ann.id] }]);
    const file = drives.addFile(drives.addFolder(library, 'Plans'), 'goals.md', 'heron');
    const { having, sync } = await house.follow();
    assert.deepEqual(await having('heron', ANN), [idOf(file)]);
    drives.share(root, []);
    graph.peer.fault = ({ url }) =>
      url.pathname.endsWith('/children') ? graph.refusals.forbidden : undefined;
    await sync();
    graph.peer.fault = () => undefined;
    await sync();
    assert.deepEqual(await having('heron', ANN), []);
    assert.deepEqual(await having('heron'), [idOf(file)]);
  });

  it('a folder that changes again while its feed is read has its last name', async () => {
    const folder = drives.addFolder(library, 'Plans');
    drives.addFile(folder, 'goals.md', 'the heron waits');
    const { record, sync } = await house.follow();
    drives.rename(folder, 'Old plans');
    for (let i = 0; i < 3; i++) drives.addFile(library, `${i}.md`, `file ${i}`);
    graph.settings.largestPage = 2;
    let pages = 0;
    graph.peer.fault = ({ url }) => {
      if (url.pathname.endsWith('/delta') && ++pages === 2) drives.rename(folder, 'Older plans');
      return undefined;
    };
    await sync();
    assert.deepEqual((await record('heron')).breadcrumbs.slice(2), ['Older plans']);
  });

  it('access that may not be read belongs to nobody', async () => {
    const { ann } = graph.directory;
    drives.addFile(library, 'goals.md', 'heron', { grants: [{ to: 'user', ids: [ann.id] }] });
    graph.peer.fault = ({ url }) =>
      url.pathname.endsWith('/permissions') ? graph.refusals.forbidden : undefined;
    const { having } = await house.follow();
    assert.equal((await having('heron')).length, 1);
    assert.deepEqual(await having('heron', ANN), []);
  });

  it('a permission counts until it ends', async () => {
    const { ann } = graph.directory;
    drives.addFile(library, 'goals.md', 'heron', { grants: [{ to: 'user', ids: [ann.id] }] });
    for (const [end, isFound] of [
      ['9999-12-31T00:00:00Z', true],
      // Graph writes its smallest time for a permission that stays.
      ['0001-01-01T00:00:00Z', true],
      ['2026-01-31T00:00:00Z', false],
      ['someday', false],
    ] as const) {
      graph.settings.spoil = (value, { url }) =>
        url.pathname.endsWith('/permissions')
          ? { value: value.value.map((one: object) => ({ ...one, expirationDateTime: end })) }
          : undefined;
      const { having } = await house.follow();
      assert.equal((await having('heron', ANN)).length, isFound ? 1 : 0, end);
    }
  });

  it('the owners of a group are not taken for its members', async () => {
    const group = graph.directory.addGroup('Team', [graph.directory.ann]);
    const { id } = group;
    const file = drives.addFile(library, 'goals.md', 'heron', {
      grants: [{ to: 'group', ids: [id] }],
    });
    for (const [ending, found] of [
      ['', [idOf(file)]],
      ['_o', []],
    ] as const) {
      const siteUser = { loginName: `c:0o.c|federateddirectoryclaimprovider|${id}${ending}` };
      const grantedToV2 = { group: { id, displayName: 'Team' }, siteUser };
      graph.settings.spoil = (_, { url }) =>
        url.pathname.endsWith('/permissions')
          ? { value: [{ id: '1', roles: ['read'], grantedToV2 }] }
          : undefined;
      const { having } = await house.follow();
      assert.deepEqual(await having('heron', ANN), found, ending);
    }
  });

  it('a group whose members are hidden is nobody, and the members of others are read', async () => {
    const { ann } = graph.directory;
    const hidden = graph.directory.addGroup('Hidden', [ann]);
    const shown = graph.directory.addGroup('Shown', [ann]);
    const shared = [hidden, shown].map(({ id }) =>
      drives.addFile(library, `${id}.md`, 'heron', { grants: [{ to: 'group', ids: [id] }] }),
    );
    graph.peer.fault = ({ url }) =>
      url.pathname.includes(`/groups/${hidden.id}/`) ? graph.refusals.forbidden : undefined;
    const { having, skipped, first } = await house.follow();
    assert.equal((await having('heron')).length, 2);
    assert.deepEqual(await having('heron', ANN), shared.slice(1).map(idOf));
    const [group] = await skipped(first);
    assert.deepEqual([group.entity_id, group.reason], [hidden.id, 'whose members are unknown']);
    assert.match(group.hint, /what only the members of Hidden may see/);
  });

  it('a person is looked up only where a permission lacks the address', async () => {
    const { ann } = graph.directory;
    const file = drives.addFile(library, 'goals.md', 'heron', {
      grants: [{ to: 'user', ids: [ann.id] }],
    });
    const user = { id: ann.id, displayName: 'Ann' };
    for (const [email, lookUps] of [
      ['ann@acme.example', 0],
      [undefined, 1],
    ] as const) {
      graph.settings.spoil = (_, { url }) =>
        url.pathname.endsWith('/permissions')
          ? { value: [{ id: '1', roles: ['read'], grantedToV2: { user: { ...user, email } } }] }
          : undefined;
      const before = asked(/\/users\/./);
      const { having } = await house.follow();
      assert.deepEqual(await having('heron', ANN), [idOf(file)]);
      assert.equal(asked(/\/users\/./) - before, lookUps, email);
    }
  });

  it('an app is told from a person also when Graph refuses in other words', async () => {
    graph.peer.fault = ({ url }) =>
      url.pathname === '/v1.0/me'
        ? json(400, { error: { code: 'BadRequest', message: 'Nobody has signed in.' } })
        : undefined;
    assert.equal((await house.connect()).status, 200);
  });

  it('personal sites are read only when they are asked for', async () => {
    const own = drives.addSite('Ann', { path: '/personal/ann', isPersonal: true });
    drives.addFile(drives.addDrive(own, 'Documents'), 'mine.md', 'heron');
    // The search of a person shows the personal sites that the person may see.
    graph.settings.spoil = (value, { url }) =>
      url.pathname === '/v1.0/sites'
        ? {
            value: [
              ...value.value,
              { id: own.id, webUrl: 'https://acme-my.sharepoint.example/personal/ann' },
            ],
          }
        : undefined;
    const without = await house.follow();
    assert.deepEqual(await without.having('heron'), []);
    const { having } = await house.follow({ include_personal_sites: true });
    assert.equal((await having('heron')).length, 1);
  });

  it('what was in a deleted folder is gone, also when Graph names only the folder', async () => {
    for (const deletesSilently of [false, true]) {
      graph.settings.deletesSilently = deletesSilently;
      const folder = drives.addFolder(library, 'Plans');
      drives.addFile(folder, 'goals.md', 'heron');
      const kept = drives.addFile(library, 'kept.md', 'heron');
      const { having, sync } = await house.follow();
      assert.equal((await having('heron')).length, deletesSilently ? 3 : 2);
      drives.remove(folder);
      await sync();
      assert.equal((await having('heron')).length, deletesSilently ? 2 : 1);
      assert.ok((await having('heron')).includes(idOf(kept)));
    }
  });

  it('a drive whose link is forgotten is listed again, and no other', async () => {
    const other = drives.addDrive(site, 'Archive');
    const file = drives.addFile(library, 'goals.md', 'heron');
    drives.addFile(other, 'old.md', 'heron');
    const { having, sync } = await house.follow();
    graph.forgetCursors();
    drives.remove(file);
    graph.peer.fault = ({ url }) => {
      // The second drive is asked only after the first one, and its link still holds.
      if (!url.pathname.includes(other.id) || !url.searchParams.has('token')) return undefined;
      return {
        status: 200,
        headers: {},
        body: JSON.stringify({
          value: [],
          '@odata.deltaLink': `${graph.peer.baseUrl}${url.pathname}${url.search}`,
        }),
      };
    };
    graph.peer.requests.length = 0;
    await sync();
    assert.equal((await having('heron')).length, 1);
    const listed = graph.peer.requests.filter(
      ({ url }) => url.pathname.endsWith('/delta') && !url.searchParams.has('token'),
    );
    assert.deepEqual(
      listed.map(({ url }) => url.pathname),
      [`/v1.0/drives/${encodeURIComponent(library.id)}/root/delta`],
    );
    assert.equal(asked(/content/), 0);
  });

  it('a link to another host is an error, and gets no token', async () => {
    drives.addFile(library, 'goals.md', 'heron');
    for (const name of ['@odata.nextLink', '@odata.deltaLink']) {
      const { id } = await house.follow();
      graph.settings.spoil = (value, { url }) =>
        url.pathname.endsWith('/delta')
          ? { value: value.value, [name]: 'https://graph.example.com/v1.0/next?token=1' }
          : undefined;
      const job = await house.quarry.sync(id, '?force_full_sync=true');
      assert.equal(job.status, 'failed');
      assert.match(job.error, /graph\.example\.com is not an origin of this source/);
      graph.settings.spoil = null;
    }
  });

  it('chosen sites are read with the sites below them, and one that is gone loses its files', async () => {
    const below = drives.addSite('Below', { path: `${site.path}/below`, parent: site.id });
    const other = drives.addSite('Other', { path: '/teams/other' });
    const files = [library, drives.addDrive(below, 'Documents'), drives.addDrive(other, 'Files')];
    const ids = files.map((one) => idOf(drives.addFile(one, 'goals.md', 'heron')));
    drives.addFile(drives.addDrive(drives.addSite('Third'), 'Documents'), 'x.md', 'heron');
    const HOST = 'https://acme.sharepoint.example';
    const config = { site_url: `${HOST}${site.path}/`, sites: [`${HOST}/teams/other`] };
    const { having, sync, failures } = await house.follow(config);
    assert.deepEqual(await having('heron'), ids.toSorted());
    drives.removeSite(other);
    const job = await sync();
    assert.deepEqual(await having('heron'), ids.slice(0, 2).toSorted());
    assert.match(JSON.stringify(await failures(job)), /does not see the site '.*\/teams\/other'/);
  });

  it('a site below a chosen one that is deleted during a sync takes no site beside it along', async () => {
    const below = ['A', 'B'].map((name) =>
      drives.addSite(name, { path: `${site.path}/${name}`, parent: site.id }),
    );
    const [kept, gone] = below.map((one) =>
      idOf(drives.addFile(drives.addDrive(one, 'Documents'), 'goals.md', 'heron')),
    );
    const config = { site_url: `https://acme.sharepoint.example${site.path}` };
    const { having, sync } = await house.follow(config);
    assert.deepEqual(await having('heron'), [kept, gone].toSorted());
    graph.peer.fault = ({ url }) => {
      const [, asked] = /^\/v1\.0\/sites\/([^/]+)\/sites$/.exec(url.pathname) ?? [];
      if (asked && decodeURIComponent(asked) === below[1]?.id) drives.removeSite(must(below[1]));
      return undefined;
    };
    await sync();
    assert.ok((await having('heron')).includes(must(kept)));
    await sync();
    assert.deepEqual(await having('heron'), [kept]);
  });

  it('a site that may not be read keeps its files, whether it was chosen or not', async () => {
    const file = drives.addFile(library, 'goals.md', 'heron');
    const HOST = 'https://acme.sharepoint.example';
    for (const [config, closed] of [
      [{}, /\/sites\/[^/]+\/drives$/],
      [{ site_url: `${HOST}${site.path}` }, /\/sites\/[^/]+:\/sites\//],
    ] as const) {
      const { having, id } = await house.follow(config);
      graph.peer.fault = ({ url }) =>
        closed.test(decodeURIComponent(url.pathname)) ? graph.refusals.forbidden : undefined;
      for (const how of ['', '?force_full_sync=true']) {
        await house.quarry.sync(id, how);
        assert.deepEqual(await having('heron'), [idOf(file)]);
      }
      graph.peer.fault = () => undefined;
    }
  });

  it('a site that a full sync could not look into loses its files once it is gone', async () => {
    const other = drives.addSite('Other');
    drives.addFile(drives.addDrive(other, 'Documents'), 'old.md', 'heron');
    const kept = drives.addFile(library, 'goals.md', 'heron');
    const { having, sync, full } = await house.follow();
    graph.peer.fault = ({ url }) => {
      // The site is removed after the search has listed it.
      if (/\/sites\/[^/]+\/drives$/.test(url.pathname)) drives.removeSite(other);
      return undefined;
    };
    await full();
    assert.equal((await having('heron')).length, 2);
    await sync();
    assert.deepEqual(await having('heron'), [idOf(kept)]);
  });

  it('an app without a permission is refused, and the permission is named', async () => {
    const { permissions } = graph.settings;
    for (const [permission, says] of [
      ['GroupMember.Read.All', /the permission GroupMember\.Read\.All is missing/],
      ['User.Read.All', /the permission User\.ReadBasic\.All is missing/],
      ['Sites.Read.All', /the permission Sites\.Read\.All is missing/],
    ] as const) {
      const all = [...permissions];
      permissions.delete(permission);
      if (permission === 'GroupMember.Read.All') permissions.delete('Group.Read.All');
      const { status, body } = await house.connect();
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), says);
      for (const one of all) permissions.add(one);
    }
  });

  it('an account that sees no site, or not the chosen one, is refused', async () => {
    const config = { site_url: 'https://acme.sharepoint.example/sites/none' };
    const unseen = await house.connect(config);
    assert.match(JSON.stringify(unseen.body), /does not see the site/);
    const odd = await house.connect({ site_url: 'acme' });
    assert.match(JSON.stringify(odd.body), /is not the address of a site/);
    for (const one of [...drives.sites.values()]) drives.removeSite(one);
    const nothing = await house.connect();
    assert.equal(nothing.status, 422);
    assert.match(JSON.stringify(nothing.body), /sees no site/);
  });

  it('files that cannot be read are left out, each with its reason', async () => {
    drives.addFile(library, 'film.mp4', 'x');
    drives.addFile(library, 'large.pdf', 'x', { claimedSize: 5 * 2 ** 30 });
    drives.addFile(library, 'virus.md', 'x', { isMalware: true });
    drives.addFolder(library, 'Notebook', { kind: 'package' });
    drives.addShortcut(library, 'shortcut', drives.addFile(library, 'a/b\n.md', 'heron'));
    drives.addFile(library, 'empty.md', '');
    const { first, skipped, having } = await house.follow();
    const reasons = (await skipped(first)).map(({ reason }: { reason: string }) => reason);
    assert.deepEqual(reasons.toSorted(), [
      'marked as malware by Microsoft',
      'of a kind that is not read yet',
      'of a kind without text',
      'too large',
    ]);
    assert.equal((await having('heron')).length, 1);
    assert.equal(first.entities_inserted, 2);
  });

  it('a file that is no longer given out is found no more, because its access may have changed', async () => {
    const file = drives.addFile(library, 'goals.md', 'heron');
    const { having, sync } = await house.follow();
    drives.share(file, []);
    graph.peer.fault = ({ url }) =>
      url.pathname.endsWith('/content') ? graph.refusals.forbidden : undefined;
    await sync();
    assert.deepEqual(await having('heron'), []);
  });

  it('values of another form are left out, and a page without its list ends the sync', async () => {
    drives.addFile(library, 'goals.md', 'heron');
    const { full, having, id } = await house.follow();
    graph.settings.spoil = (value, { url }) => {
      if (!url.pathname.endsWith('/delta')) return undefined;
      const wrong = { createdDateTime: 'soon', createdBy: 7, size: '6', webUrl: null, eTag: 1 };
      return { ...value, value: value.value.map((one: object) => ({ ...one, ...wrong })) };
    };
    assert.equal((await full()).entities_failed, 0);
    graph.settings.spoil = (value, { url }) =>
      url.pathname.endsWith('/delta') ? { ...value, value: undefined } : undefined;
    const job = await house.quarry.sync(id, '?force_full_sync=true');
    assert.equal(job.status, 'failed');
    assert.equal((await having('heron')).length, 1);
  });

  it('ids of any characters stay one part of a path, and one that no database keeps is a failure', async () => {
    const file = drives.addFile(library, 'goals.md', 'heron');
    graph.settings.spoil = (value, { url }) => {
      if (!url.pathname.endsWith('/delta')) return undefined;
      const strange = { ...value.value[1], id: '\ud800' };
      return { ...value, value: [...value.value, strange] };
    };
    const { having, first } = await house.follow();
    assert.deepEqual([await having('heron'), first.entities_failed], [[idOf(file)], 1]);
  });

  it('1,000 unchanged files cost few requests', async () => {
    for (let i = 0; i < 1000; i++) drives.addFile(library, `${i}.png`, 'x');
    const file = drives.addFile(library, 'goals.md', 'heron');
    const { sync, full, having } = await house.follow({
      site_url: `https://acme.sharepoint.example${site.path}`,
    });
    graph.peer.requests.length = 0;
    await sync();
    assert.equal(graph.peer.requests.length, 4);
    graph.peer.requests.length = 0;
    await full();
    assert.deepEqual([asked(/\/root\/delta/), asked(/content/)], [7, 0]);
    assert.deepEqual(await having('heron'), [idOf(file)]);
  });
});
