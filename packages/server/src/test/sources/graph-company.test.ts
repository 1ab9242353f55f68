/**
 * Reads the companies of the fake of Microsoft Graph by Microsoft's own client. What its deltas tell step by step must be
 * what a reader that begins again finds.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { must } from '../../util.ts';
import type { CloudFake } from './cloud-company.ts';
import { type GraphClient, openGraphClient, refusedWith } from './graph-client.ts';
import type { GraphRow } from './graph-refusal.ts';
import { GRAPH_APP_TOKEN, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';
import { openOutlookCompany } from './outlook-company.ts';
import { openSharepointCompany } from './sharepoint-company.ts';

const IMMUTABLE = { prefer: 'IdType="ImmutableId"' };

/** It keeps the rows of each delta with its link, and follows the links again later. */
class Reader {
  readonly client: GraphClient;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly parts = new Map<string, { rows: Map<string, GraphRow>; link: string }>();

  constructor(client: GraphClient, headers: Readonly<Record<string, string>> = {}) {
    this.client = client;
    this.headers = headers;
  }

  /** Returns the rows of the delta at this path that are there now. */
  async rowsOf(path: string): Promise<Map<string, GraphRow>> {
    const part = this.parts.get(path);
    const { last, deltaLink } = await this.client.delta(part?.link ?? path, this.headers);
    const rows = part?.rows ?? new Map<string, GraphRow>();
    for (const [id, row] of last)
      if (row.deleted || row['@removed']) rows.delete(id);
      else rows.set(id, row);
    this.parts.set(path, { rows, link: deltaLink });
    return rows;
  }
}

async function filesOf(reader: Reader): Promise<Map<string, GraphRow>> {
  const found = new Map<string, GraphRow>();
  const { client } = reader;
  for (const site of (await client.all('/sites?search=*')).rows) {
    found.set(site.id, site);
    for (const drive of (await client.all(`/sites/${site.id}/drives`)).rows) {
      found.set(drive.id, drive);
      for (const [id, row] of await reader.rowsOf(`/drives/${drive.id}/root/delta`))
        found.set(id, row);
    }
  }
  return found;
}

async function mailOf(reader: Reader, user: string): Promise<Map<string, GraphRow>> {
  const found = new Map<string, GraphRow>();
  const folders = await reader.rowsOf(`/users/${user}/mailFolders/delta`);
  for (const [id, folder] of folders) {
    found.set(id, folder);
    const path = `/users/${user}/mailFolders/${id}/messages/delta`;
    for (const [messageId, row] of await reader.rowsOf(path)) found.set(messageId, row);
  }
  return found;
}

/** Lets the company change in every way, and calls `check` after each of them. */
async function live(company: CloudFake, check: (what: string) => Promise<void>) {
  for (let i = 0; i < 8; i++) {
    company.edit();
    if (i % 2) company.add();
    await check(`edit ${i}`);
  }
  company.shuffle?.();
  for (let i = 0; i < 4; i++) {
    const had = company.expected().size;
    company.remove();
    assert.ok(company.expected().size < had, `removal ${i}`);
    await check(`removal ${i}`);
  }
  for (const way of ['removeMany', 'removePart'] as const) {
    const had = company.expected().size;
    company[way]();
    assert.ok(company.expected().size < had, way);
    await check(way);
  }
  company.forbidPart?.();
  for (let i = 0; i < 8; i++) company.edit();
}
/** A folder counts what is in it, and an item names its parent, but their changes do not show the item in a delta. */
const statesOf = (rows: ReadonlyMap<string, GraphRow>) =>
  [...rows]
    .map(([id, { name, eTag, cTag, parentReference }]) => [
      id,
      [name, eTag, cTag, parentReference?.id],
    ])
    .toSorted();
const idsOf = (rows: ReadonlyMap<string, GraphRow>) => [...rows.keys()].toSorted();

describe('the companies of Microsoft Graph, read by the client of Microsoft', () => {
  it('shows every word of SharePoint, step by step as from the beginning', async (t) => {
    const company = await openSharepointCompany({
      recordId: ({ isPersonal, itemId, driveId, siteId }) =>
        isPersonal ? null : (itemId ?? driveId ?? siteId),
    });
    t.after(() => company.peer.close());
    const client = openGraphClient(company.peer, GRAPH_PERSON_TOKEN);
    const patient = new Reader(client);
    await filesOf(patient);
    async function check(what: string) {
      const found = await filesOf(new Reader(client));
      assert.deepEqual(statesOf(await filesOf(patient)), statesOf(found), what);
      const roots = [...found.values()].filter(({ root }) => root).map(({ id }) => id);
      const expected = company.expected();
      assert.deepEqual(idsOf(found), [...expected.keys(), ...roots].toSorted(), what);
      for (const [id, word] of expected) {
        const row = must(found.get(id));
        const isRead = row.file && row.size > 0 && row.size < 2 ** 20;
        const { driveId } = row.parentReference ?? {};
        const text = isRead
          ? await client.content(`/drives/${driveId}/items/${id}/content`)
          : (row.displayName ?? row.name);
        assert.ok(text.includes(word), `${what}: ${id} has ${text} and not ${word}`);
      }
    }
    await check('at first');
    await live(company, check);
    const delta = client.get(`/drives/${company.offers.id}/root/delta`);
    await assert.rejects(delta, refusedWith(403, 'accessDenied'));
  });

  it('shows every word of Outlook, step by step as from the beginning', async (t) => {
    for (const isApp of [true, false]) {
      const company = await openOutlookCompany({
        isApp,
        recordId: ({ messageId, attachmentId, folderId }) => attachmentId ?? messageId ?? folderId,
      });
      t.after(() => company.peer.close());
      const token = isApp ? GRAPH_APP_TOKEN : GRAPH_PERSON_TOKEN;
      const client = openGraphClient(company.peer, token);
      const patient = new Reader(client, IMMUTABLE);
      const users = [company.directory.ann.id, ...(isApp ? [company.directory.bob.id] : [])];
      const all = async (reader: Reader) => {
        const found = new Map<string, GraphRow>();
        for (const user of users)
          for (const [id, row] of await mailOf(reader, user)) found.set(id, row);
        return found;
      };
      await all(patient);
      async function check(what: string) {
        const found = await all(new Reader(client, IMMUTABLE));
        assert.deepEqual(idsOf(await all(patient)), idsOf(found), what);
        const texts = new Map(
          [...found].map(([id, row]) => [id, row.displayName ?? row.body.content]),
        );
        for (const [id, row] of found) {
          if (!row.hasAttachments) continue;
          const user = users.find((one) =>
            company.mail.mailboxes.get(one)?.folders.has(row.parentFolderId),
          );
          const path = `/users/${user}/messages/${id}/attachments`;
          for (const one of (await client.all(path, IMMUTABLE)).rows) {
            if (one.isInline) continue;
            const isLink = one['@odata.type'].endsWith('referenceAttachment');
            const value = isLink ? one.name : await client.content(`${path}/${one.id}/$value`);
            texts.set(one.id, value);
          }
        }
        const expected = company.expected();
        assert.deepEqual([...texts.keys()].toSorted(), [...expected.keys()].toSorted(), what);
        for (const [id, word] of expected)
          assert.ok(texts.get(id)?.includes(word), `${what}: ${id} lacks ${word}`);
      }
      await check('at first');
      if (isApp) continue;
      company.edit();
      await check('an edit');
    }
  });

  it('changes mail in every way of the usual company', async (t) => {
    const company = await openOutlookCompany();
    t.after(() => company.peer.close());
    const client = openGraphClient(company.peer, GRAPH_PERSON_TOKEN);
    const patient = new Reader(client, IMMUTABLE);
    const { id } = company.directory.ann;
    await mailOf(patient, id);
    await live(company, async (what) => {
      const found = await mailOf(new Reader(client, IMMUTABLE), id);
      assert.deepEqual(idsOf(await mailOf(patient, id)), idsOf(found), what);
      for (const record of company.expected().keys())
        assert.ok(found.has(record.split('/')[0] ?? ''), `${what}: ${record}`);
    });
    const archive = client.get(`/users/${id}/mailFolders/archive/messages/delta`);
    await assert.rejects(archive, refusedWith(403, 'ErrorAccessDenied'));
  });

  it('has ids of its own, and shows nothing of others', async (t) => {
    const [one, other] = [await openOutlookCompany(), await openOutlookCompany({ isApp: true })];
    t.after(() => one.peer.close());
    t.after(() => other.peer.close());
    const ids = new Set(one.expected().keys());
    assert.ok([...other.expected().keys()].every((id) => !ids.has(id)));
    const bob = openGraphClient(one.peer, GRAPH_PERSON_TOKEN).get(
      `/users/${one.directory.bob.id}/mailFolders`,
    );
    await assert.rejects(bob, refusedWith(403, 'ErrorAccessDenied'));
    const files = await openSharepointCompany({ recordId: ({ kind }) => kind });
    t.after(() => files.peer.close());
    assert.deepEqual([...files.expected().keys()].toSorted(), [
      'drive',
      'empty',
      'file',
      'folder',
      'large',
      'package',
      'shortcut',
      'site',
    ]);
  });
});
