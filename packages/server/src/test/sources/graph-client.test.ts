/** Tests the fake of Microsoft Graph for sites, drives and people by Microsoft's own client. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type GraphClient, openGraphClient, refusedWith } from './graph-client.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import type { GraphRow } from './graph-refusal.ts';
import { GRAPH_APP_TOKEN, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

const namesOf = (rows: Iterable<GraphRow>) => [...rows].map(({ name }) => name);

function makeWorld({ drives, directory }: GraphPeer) {
  const { ann, bob, guest } = directory;
  const staff = directory.addGroup('Staff', [ann, bob], { isUnified: true });
  const all = directory.addGroup('All', [staff, guest]);
  staff.members.add(all.id);
  const site = drives.addSite('Engineering');
  const secret = drives.addSite('Secret');
  const home = drives.addSite('Ann', { path: '/personal/ann', isPersonal: true });
  drives.siteGroups.set('Engineering Members', [ann.id]);
  const docs = drives.addDrive(site, 'Documents', {
    grants: [{ to: 'siteGroup', ids: ['Engineering Members'], roles: ['write'] }],
  });
  const vault = drives.addDrive(secret, 'Documents', { grants: [{ to: 'user', ids: [bob.id] }] });
  const own = drives.addDrive(home, 'OneDrive', {
    owner: ann,
    grants: [{ to: 'user', ids: [ann.id], roles: ['owner'] }],
  });
  const plans = drives.addFolder(docs, 'Plans');
  const old = drives.addFolder(plans, 'Old');
  const plan = drives.addFile(plans, 'plan.md', '# The plan');
  const note = drives.addFile(old, 'a/../note: "1".md', 'A note');
  const empty = drives.addFile(docs, 'empty.txt', '');
  const film = drives.addFile(docs, 'film.mp4', '', { claimedSize: 5 * 2 ** 30 });
  const book = drives.addFolder(docs, 'Notebook', { kind: 'package' });
  const safe = drives.addFile(vault, 'safe.md', 'Nobody else reads this.');
  const shortcut = drives.addShortcut(own, 'Plan', plan);
  const nodes = { docs, vault, own, plans, old, plan, note, empty, film, book, safe, shortcut };
  return { ...nodes, site, secret, home, staff, all };
}

describe('the fake of Microsoft Graph, asked for files by the client of Microsoft', () => {
  let graph: GraphPeer;
  let world: ReturnType<typeof makeWorld>;
  let app: GraphClient;
  let ann: GraphClient;
  beforeEach(async () => {
    graph = await openGraph();
    world = makeWorld(graph);
    graph.settings.largestPage = 2;
    app = openGraphClient(graph.peer, GRAPH_APP_TOKEN);
    ann = openGraphClient(graph.peer, GRAPH_PERSON_TOKEN);
  });
  afterEach(() => graph.peer.close());
  const deltaOf = ({ id }: { id: string }, query = '') => `/drives/${id}/root/delta${query}`;

  it('lists sites and their drives, with those of people only for an app', async () => {
    const sites = await app.all('/sites/getAllSites');
    assert.deepEqual(
      namesOf(sites.rows),
      ['Engineering', 'Secret', 'Ann'].map((one) => one.toLowerCase()),
    );
    assert.deepEqual(namesOf((await app.all('/sites?search=*')).rows), ['engineering', 'secret']);
    assert.deepEqual(namesOf((await ann.all('/sites?search=*')).rows), ['engineering']);
    await assert.rejects(ann.get('/sites/getAllSites'), refusedWith(403, 'accessDenied'));
    const found = await app.get('/sites/acme.sharepoint.example:/sites/engineering');
    assert.equal(found.id, world.site.id);
    const { rows } = await app.all(`/sites/${world.site.id}/drives?$select=id,name,driveType`);
    assert.deepEqual(rows, [
      { id: world.docs.id, name: 'Documents', driveType: 'documentLibrary' },
    ]);
    const hidden = ann.get(`/sites/${world.secret.id}/drives`);
    await assert.rejects(hidden, refusedWith(404, 'itemNotFound'));
    assert.equal((await ann.get('/me/drive')).id, world.own.id);
    const nothing = app.get(`/users/${graph.directory.bob.id}/drive`);
    await assert.rejects(nothing, refusedWith(404, 'ResourceNotFound'));
  });

  it('lists a drive whole, and then only what has changed', async () => {
    const { plan, plans, old, docs, note, empty } = world;
    const first = await app.delta(deltaOf(docs));
    assert.equal(first.last.size, 8);
    assert.ok(first.rows.every(({ parentReference }) => parentReference.path === undefined));
    const nothing = await app.delta(first.deltaLink);
    assert.deepEqual(nothing.rows, []);
    graph.drives.rename(plans, 'Plans of the weir');
    graph.drives.move(note, docs);
    graph.drives.write(plan, '# Another plan');
    graph.drives.remove(empty);
    const second = await app.delta(nothing.deltaLink);
    assert.deepEqual(
      [...second.last.values()].map(({ id }) => id),
      [plans.id, note.id, plan.id, empty.id],
    );
    const row = (of: { id: string }) => must(second.last.get(of.id));
    assert.deepEqual(row(empty).deleted, { state: 'deleted' });
    assert.equal(row(note).parentReference.id, docs.rootId);
    const before = (of: { id: string }) => must(first.last.get(of.id));
    assert.deepEqual([row(plans).cTag, row(note).cTag], [before(plans).cTag, before(note).cTag]);
    assert.notEqual(row(plan).cTag, before(plan).cTag);
    graph.drives.remove(plans);
    const third = await app.delta(second.deltaLink);
    assert.deepEqual(
      [...third.last.keys()].toSorted(),
      [plans, old, plan].map(({ id }) => id).toSorted(),
    );
    const again = await app.delta(deltaOf(docs));
    assert.ok([...again.last.values()].every(({ deleted }) => deleted === undefined));
  });

  it('shows again what changes while one reads, and what is deleted meanwhile', async () => {
    const page = await app.get(deltaOf(world.docs, '?$select=id,name,deleted'));
    const [, seen] = page.value as GraphRow[];
    assert.deepEqual(Object.keys(must(seen)).toSorted(), ['id', 'name']);
    graph.drives.rename(world.plans, 'Renamed');
    graph.drives.remove(world.plan);
    const { rows, last } = await app.delta(page['@odata.nextLink']);
    assert.deepEqual(namesOf(rows).at(-2), 'Renamed');
    assert.deepEqual(last.get(world.plan.id)?.deleted, { state: 'deleted' });
    const latest = await app.delta(deltaOf(world.docs, '?token=latest'));
    assert.deepEqual(latest.rows, []);
    graph.drives.rename(world.old, 'Older');
    assert.deepEqual(namesOf((await app.delta(latest.deltaLink)).rows), ['Older']);
  });

  it('ends its links with 410, a reason and a place to begin anew', async () => {
    const { deltaLink } = await app.delta(deltaOf(world.docs));
    graph.forgetCursors();
    await assert.rejects(app.get(deltaLink), (thrown: any) => {
      assert.deepEqual([thrown.statusCode, thrown.code], [410, 'resyncRequired']);
      assert.match(thrown.headers.get('location'), /\/root\/delta$/);
      return true;
    });
    assert.equal((await app.delta(deltaOf(world.docs))).last.size, 8);
  });

  it('gives files by a redirect to another host that takes no token', async () => {
    const { docs, plan, note, empty, film, book, shortcut } = world;
    const path = ({ id }: { id: string }) => `/drives/${docs.id}/items/${id}`;
    assert.equal(await app.content(`${path(plan)}/content`), '# The plan');
    assert.equal(graph.store.requests.at(-1)?.headers.authorization, undefined);
    assert.equal(await app.content(`${path(empty)}/content`), '');
    assert.equal((await app.get(path(film))).size, 5 * 2 ** 30);
    const named = await app.get(path(note));
    assert.equal(named.name, 'a/../note: "1".md');
    assert.match(named.parentReference.path, /root:\/Plans\/Old$/);
    const stored = named['@microsoft.graph.downloadUrl'];
    const headers = { authorization: `Bearer ${GRAPH_APP_TOKEN}` };
    assert.equal((await fetch(stored, { headers })).status, 401);
    assert.equal(await (await fetch(stored)).text(), 'A note');
    graph.endFileAddresses();
    assert.equal((await fetch(stored)).status, 401);
    assert.deepEqual((await app.get(path(book))).package, { type: 'oneNote' });
    await assert.rejects(app.content(`${path(book)}/content`), refusedWith(400, null));
    const { remoteItem } = await ann.get(`/drives/${world.own.id}/items/${shortcut.id}`);
    assert.deepEqual(
      [remoteItem.id, remoteItem.parentReference.driveId, remoteItem.file.mimeType],
      [plan.id, docs.id, 'text/markdown'],
    );
    plan.isMalware = true;
    await assert.rejects(app.content(`${path(plan)}/content`), refusedWith(403, null));
  });

  it('tells who may see an item, by which grant, and from where', async () => {
    const { docs, plan, plans, all } = world;
    const { bob, guest } = graph.directory;
    const { deltaLink, last } = await app.delta(deltaOf(docs));
    graph.drives.share(plans, [{ to: 'group', ids: [all.id] }, { to: 'everyone' }]);
    graph.drives.share(plan, [
      { to: 'user', ids: [bob.id] },
      { to: 'users', ids: [guest.id] },
      { to: 'organization' },
      { to: 'anonymous', isPasswordNeeded: true },
    ]);
    const changed = (await app.delta(deltaLink)).last;
    assert.deepEqual([...changed.keys()], [plans.id, plan.id]);
    const tags = (rows: typeof last) => {
      const { eTag, cTag } = must(rows.get(plan.id));
      return [eTag, cTag];
    };
    assert.deepEqual(tags(changed), tags(last));
    const permissions = async () =>
      (await app.all(`/drives/${docs.id}/items/${plan.id}/permissions`)).rows;
    const rows = await permissions();
    assert.deepEqual(
      rows.map(({ link, grantedToV2, inheritedFrom }) => [
        link?.scope ?? Object.keys(grantedToV2)[0],
        inheritedFrom?.id,
      ]),
      [
        ['user', undefined],
        ['users', undefined],
        ['organization', undefined],
        ['anonymous', undefined],
        ['group', plans.id],
        ['siteUser', plans.id],
        ['siteGroup', docs.rootId],
      ],
    );
    assert.equal(rows[1]?.grantedToIdentitiesV2[0].user.id, guest.id);
    assert.equal(
      rows[0]?.grantedToV2.siteUser.loginName,
      'i:0#.f|membership|bob@acme.onmicrosoft.example',
    );
    const before = await ann.delta(deltaOf(docs));
    graph.drives.share(plan, [{ to: 'user', ids: [bob.id] }], true);
    assert.equal((await permissions()).length, 1);
    const own = `/drives/${docs.id}/items/${plan.id}`;
    await assert.rejects(ann.get(own), refusedWith(404, 'itemNotFound'));
    assert.ok(!(await ann.delta(deltaOf(docs))).last.has(plan.id));
    assert.deepEqual((await ann.delta(before.deltaLink)).rows, []);
    const lost = await ann.delta(before.deltaLink, { prefer: 'deltashowremovedasdeleted' });
    assert.deepEqual(lost.rows[0]?.deleted, { state: 'deleted' });
  });

  it('refuses tokens, permissions, forbidden parts and too many requests', async () => {
    const { docs, plan } = world;
    const { settings, peer, refusals } = graph;
    const wrong = openGraphClient(peer, 'wrong').get(`/drives/${docs.id}`);
    await assert.rejects(wrong, refusedWith(401, 'InvalidAuthenticationToken'));
    for (const id of [docs.id, world.site.id]) {
      settings.forbidden.add(id);
      await assert.rejects(app.get(deltaOf(docs)), refusedWith(403, 'accessDenied'));
      settings.forbidden.clear();
    }
    await assert.rejects(app.get('/drives/b!1'), refusedWith(404, 'itemNotFound'));
    for (const one of ['Files.Read.All', 'Sites.Read.All']) settings.permissions.delete(one);
    await assert.rejects(
      app.get(`/drives/${docs.id}/items/${plan.id}`),
      refusedWith(403, 'accessDenied'),
    );
    peer.fault = () => refusals.rateLimited[0];
    await assert.rejects(app.get('/users'), (thrown: any) => {
      assert.equal(thrown.headers.get('retry-after'), '3600');
      return refusedWith(429, 'activityLimitReached')(thrown);
    });
    peer.fault = () => refusals.serverError;
    await assert.rejects(app.get('/users'), refusedWith(503, 'UnknownError'));
  });
});
