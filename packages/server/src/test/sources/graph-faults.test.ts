/** Tests the faults of the fake of Microsoft Graph, and what is odd in it, by Microsoft's own client. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type GraphClient, openGraphClient } from './graph-client.ts';
import type { GraphDrive, GraphItem } from './graph-drive-records.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import type { GraphRow } from './graph-refusal.ts';
import { GRAPH_APP_TOKEN } from './graph-tokens.ts';

const namesOf = (rows: Iterable<GraphRow>) => [...rows].map(({ name }) => name);

describe('the faults of the fake of Microsoft Graph, met by the client of Microsoft', () => {
  let graph: GraphPeer;
  let app: GraphClient;
  let docs: GraphDrive;
  let plans: GraphItem;
  let plan: GraphItem;
  beforeEach(async () => {
    graph = await openGraph();
    const { drives } = graph;
    docs = drives.addDrive(drives.addSite('Engineering'), 'Documents');
    plans = drives.addFolder(docs, 'Plans');
    plan = drives.addFile(plans, 'plan.md', '# The plan');
    for (let i = 0; i < 4; i++) drives.addFile(docs, `file-${i}.md`, 'A file');
    graph.settings.largestPage = 2;
    app = openGraphClient(graph.peer, GRAPH_APP_TOKEN);
  });
  afterEach(() => graph.peer.close());
  const deltaOf = ({ id }: { id: string }) => `/drives/${id}/root/delta`;

  it('shows odd names, dates and sizes as they are', async () => {
    const { drives } = graph;
    drives.rename(plans, 'Half \ud800 of a character');
    Object.assign(plan, { createdAt: '0000-01-01T00:00:00Z', name: 'a\nb/../c 書.md' });
    drives.write(plan, Buffer.alloc(30_000_000, 'a'));
    plan.modifiedAt = '9999-12-31T23:59:59.9999999Z';
    const { last } = await app.delta(deltaOf(docs));
    assert.equal(last.get(plans.id)?.name, 'Half \ud800 of a character');
    const row = must(last.get(plan.id));
    assert.deepEqual(
      [row.name, row.size, row.createdDateTime, row.lastModifiedDateTime],
      [plan.name, 30_000_000, plan.createdAt, plan.modifiedAt],
    );
    const content = await app.content(`/drives/${docs.id}/items/${plan.id}/content`);
    assert.equal(content.length, 30_000_000);
    const path = `/drives/${docs.id}/items/${plan.id}`;
    assert.match((await app.get(path)).parentReference.path, /Half%20%EF%BF%BD/);
  });

  it('has faults of its own: empty pages, pages twice, items twice, no list, rows that shift', async () => {
    const { settings, drives, directory } = graph;
    drives.rename(plans, 'Now');
    const right = (await app.delta(deltaOf(docs))).last;
    const counting = (rows: ReadonlyMap<string, GraphRow>) =>
      [...rows.values()].map(({ id, name, cTag }) => [id, name, cTag]).toSorted();
    for (const fault of ['emptyPages', 'pagesTwice', 'repeatsItems'] as const) {
      settings[fault] = true;
      const { rows, last } = await app.delta(deltaOf(docs));
      assert.deepEqual(counting(last), counting(right), fault);
      assert.equal(rows.length > right.size, fault !== 'emptyPages');
      settings[fault] = false;
    }
    settings.repeatsItems = true;
    const names = namesOf((await app.delta(deltaOf(docs))).rows);
    assert.ok(names.indexOf('Plans') < names.indexOf('Now') && names.includes('Plans'));
    settings.repeatsItems = false;
    settings.emptyPages = true;
    const first = await app.get(deltaOf(docs));
    assert.deepEqual([first.value, typeof first['@odata.nextLink']], [[], 'string']);
    settings.emptyPages = false;
    settings.withoutValue = true;
    const { '@odata.nextLink': next } = await app.get(deltaOf(docs));
    assert.equal((await app.get(next)).value, undefined);
    settings.withoutValue = false;
    const page = await app.get('/users?$top=1');
    directory.users.delete(page.value[0].id);
    assert.equal((await app.all(page['@odata.nextLink'])).rows.length, 3);
    settings.shifts = true;
    const { value, '@odata.nextLink': rest } = await app.get('/users');
    directory.users.delete(value[0].id);
    assert.equal((await app.all(rest)).rows.length, 0);
    settings.deletesSilently = true;
    const { deltaLink } = await app.delta(deltaOf(docs));
    drives.remove(plans);
    assert.deepEqual([...(await app.delta(deltaLink)).last.keys()], [plans.id]);
    settings.spoil = ({ value: rows }) => ({ value: rows.map(() => ({ id: 7 })) });
    assert.deepEqual((await app.get('/users')).value[0], { id: 7 });
    settings.spoil = null;
    plans.parent = plans.id;
    plans.isDeleted = false;
    assert.equal(
      (await app.get(`/drives/${docs.id}/items/${plans.id}`)).parentReference.id,
      plans.id,
    );
  });

  it('fails at its end when a request has something that Microsoft does not document', async () => {
    const { '@odata.nextLink': next } = await app.get(deltaOf(docs));
    for (const [path, prefer, says] of [
      [`${next}&$top=1`, '', /the link .* was changed/],
      ['/users?$orderby=displayName', '', /does not document the parameter \$orderby/],
      ["/users?$filter=startswith(mail,'a')", '', /does not know the filter/],
      [deltaOf(docs), 'odata.maxpagesize=5', /does not document the preference/],
      [`${deltaOf(docs)}?$expand=permissions`, '', /there is no query \$expand/],
      ['/sites?$select=id', '', /without search/],
    ] as const) {
      const other = await openGraph();
      const site = other.drives.addSite('Engineering');
      const drive = other.drives.addDrive(site, 'Documents');
      const link = (await openGraphClient(other.peer, GRAPH_APP_TOKEN).get(deltaOf(drive)))[
        '@odata.deltaLink'
      ];
      const asked = path.replace(next, link).replace(docs.id, drive.id);
      const client = openGraphClient(other.peer, GRAPH_APP_TOKEN);
      await assert.rejects(client.get(asked, { prefer }));
      await assert.rejects(other.peer.close(), says);
    }
  });
});
