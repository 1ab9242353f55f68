/** Tests the fake of Microsoft Graph for mail by Microsoft's own client. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { type GraphClient, openGraphClient, refusedWith } from './graph-client.ts';
import type { GraphMailbox, GraphMailFolder } from './graph-mail-records.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import type { GraphRow } from './graph-refusal.ts';
import { GRAPH_APP_TOKEN, GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

const IMMUTABLE = { prefer: 'IdType="ImmutableId"' };
const idsOf = (rows: Iterable<GraphRow>) => [...rows].map(({ id }) => id);

describe('the fake of Microsoft Graph, asked for mail by the client of Microsoft', () => {
  let graph: GraphPeer;
  let app: GraphClient;
  let ann: GraphClient;
  let mailbox: GraphMailbox;
  let inbox: GraphMailFolder;
  let projects: GraphMailFolder;
  beforeEach(async () => {
    let at = Date.parse('2026-03-01T08:00:00Z');
    const now = () => {
      at += 60_000;
      return at;
    };
    graph = await openGraph({ now });
    const { mail, directory } = graph;
    mailbox = mail.mailboxOf(directory.ann);
    inbox = must(mail.folderOf(mailbox, 'inbox'));
    projects = mail.addFolder(mailbox, 'Projects', { parent: inbox.id });
    for (let i = 0; i < 5; i++) mail.add(mailbox, inbox, { subject: `Mail ${i}` });
    graph.settings.largestPage = 2;
    app = openGraphClient(graph.peer, GRAPH_APP_TOKEN);
    ann = openGraphClient(graph.peer, GRAPH_PERSON_TOKEN);
  });
  afterEach(() => graph.peer.close());
  const deltaOf = ({ id }: GraphMailFolder, query = '') =>
    `/me/mailFolders/${id}/messages/delta${query}`;

  it('shows folders at any depth in a delta, and level by level in listings', async () => {
    const { mail } = graph;
    const top = await ann.all('/me/mailFolders');
    assert.deepEqual(
      top.rows.map(({ displayName }) => displayName),
      ['Inbox', 'Drafts', 'Sent Items', 'Deleted Items', 'Junk Email', 'Archive'],
    );
    const below = await ann.all(`/me/mailFolders/inbox/childFolders`);
    assert.deepEqual(idsOf(below.rows), [projects.id]);
    assert.equal((await ann.get('/me/mailFolders/SentItems')).displayName, 'Sent Items');
    const hidden = mail.addFolder(mailbox, 'Hidden', { isHidden: true });
    const shown = await ann.all('/me/mailFolders?includeHiddenFolders=true');
    assert.equal(shown.rows.length, top.rows.length + 1);
    assert.equal(shown.rows.at(-1)?.id, hidden.id);

    const first = await ann.delta('/me/mailFolders/delta');
    assert.equal(first.last.size, 7);
    assert.equal(first.last.get(projects.id)?.parentFolderId, inbox.id);
    mail.changeFolder(projects, { name: 'Projekte', parent: mailbox.rootId });
    const second = await ann.delta(first.deltaLink);
    assert.deepEqual(
      [...second.last.values()].map(({ displayName }) => displayName),
      ['Projekte'],
    );
    const inner = mail.addFolder(mailbox, 'Inner', { parent: projects.id });
    mail.add(mailbox, inner);
    mail.removeFolder(mailbox, projects);
    const third = await ann.delta(second.deltaLink);
    const removed = { '@removed': { reason: 'deleted' } };
    assert.deepEqual(
      [...third.last.values()],
      [projects, inner].map(({ id }) => ({ id, ...removed })),
    );
    await assert.rejects(ann.get(deltaOf(projects)), refusedWith(404, 'ErrorItemNotFound'));
  });

  it('tells what is new, changed, moved and deleted, folder by folder', async () => {
    const { mail } = graph;
    const [a, b, c, d] = mailbox.messages;
    assert.ok(a && b && c && d);
    const before = await ann.delta(deltaOf(inbox, '?$select=subject'), IMMUTABLE);
    assert.equal(before.last.size, 5);
    assert.deepEqual(Object.keys(must(before.rows[0])).toSorted(), [
      '@odata.etag',
      'id',
      'subject',
    ]);
    const there = await ann.delta(deltaOf(projects), IMMUTABLE);
    assert.deepEqual(there.rows, []);
    const oldId = b.id;
    mail.change(a, { subject: 'Another' });
    mail.move(mailbox, b, projects);
    mail.remove(mailbox, c);
    mail.trash(mailbox, d);
    const here = await ann.delta(before.deltaLink, IMMUTABLE);
    assert.deepEqual(
      here.rows.map((row) => [row.id, row['@removed']?.reason ?? row.subject]),
      [
        [a.immutableId, 'Another'],
        [b.immutableId, 'changed'],
        [c.immutableId, 'deleted'],
        [d.immutableId, 'changed'],
      ],
    );
    const moved = await ann.delta(there.deltaLink, IMMUTABLE);
    assert.deepEqual(idsOf(moved.rows), [b.immutableId]);
    const bin = must(mail.folderOf(mailbox, 'deleteditems'));
    assert.deepEqual(idsOf((await ann.delta(deltaOf(bin))).rows), [d.id]);
    const mutable = await ann.delta(before.deltaLink);
    assert.ok(idsOf(mutable.rows).includes(oldId) && oldId !== b.id);
    assert.equal((await ann.get(`/me/messages/${b.immutableId}`, IMMUTABLE)).id, b.immutableId);
    await assert.rejects(ann.get(`/me/messages/${oldId}`), refusedWith(404, 'ErrorItemNotFound'));
    const again = await ann.delta(deltaOf(inbox));
    assert.ok(again.rows.every((row) => row['@removed'] === undefined));
  });

  it('moves a message there and back, and ends its links with 410', async () => {
    const { mail } = graph;
    const [message] = mailbox.messages;
    assert.ok(message);
    const { deltaLink } = await ann.delta(deltaOf(inbox), IMMUTABLE);
    mail.move(mailbox, message, projects);
    mail.move(mailbox, message, inbox);
    const { rows, last } = await ann.delta(deltaLink, IMMUTABLE);
    assert.deepEqual(idsOf(rows), [message.immutableId, message.immutableId]);
    assert.equal(last.get(message.immutableId)?.['@removed'], undefined);
    graph.forgetCursors();
    await assert.rejects(ann.get(deltaLink), (thrown: any) => {
      assert.match(thrown.headers.get('location'), /\/messages\/delta\?\$deltatoken=$/);
      return refusedWith(410, 'SyncStateNotFound')(thrown);
    });
    assert.equal((await ann.delta(deltaOf(inbox, '?$deltatoken='))).last.size, 5);
  });

  it('pages by a preference, sorts, and shows only what came since a time', async () => {
    graph.settings.largestPage = 100;
    const page = await ann.get(deltaOf(inbox), { prefer: 'odata.maxpagesize=2' });
    assert.equal(page.value.length, 2);
    const [, , third] = mailbox.messages;
    const since = must(must(third).receivedAt);
    const late = await ann.delta(deltaOf(inbox, `?$filter=receivedDateTime ge ${since}`));
    assert.equal(late.rows.length, 3);
    const list = await ann.all('/me/mailFolders/inbox/messages?$top=3&$select=subject');
    assert.deepEqual(
      list.rows.map(({ subject }) => subject),
      [4, 3, 2, 1, 0].map((n) => `Mail ${n}`),
    );
    const sorted = await ann.all('/me/messages?$orderby=subject&$select=subject');
    assert.equal(sorted.rows[0]?.subject, 'Mail 0');
  });

  it('shows bodies as HTML or text, and heads alone with the least permission', async () => {
    const { mail, settings } = graph;
    const body = '<h1>Hi</h1><p>you &amp; me</p>';
    const message = mail.add(mailbox, inbox, {
      body,
      from: null,
      subject: null,
      isInvitation: true,
      receivedAt: '0001-01-01T00:00:00Z',
    });
    const path = `/me/messages/${message.id}`;
    const html = await ann.get(path);
    assert.deepEqual(html.body, { contentType: 'html', content: body });
    assert.deepEqual([html.subject, html.from], [null, null]);
    assert.equal(html['@odata.type'], '#microsoft.graph.eventMessageRequest');
    const text = await ann.get(path, { prefer: 'outlook.body-content-type="text"' });
    assert.deepEqual(text.body, { contentType: 'text', content: 'Hiyou & me' });
    assert.match(await ann.content(`${path}/$value`), /\r\n\r\n<h1>Hi/);
    settings.permissions.delete('Mail.Read');
    await assert.rejects(ann.get(path), refusedWith(403, 'ErrorAccessDenied'));
    settings.permissions.add('Mail.ReadBasic');
    assert.equal((await ann.get(path)).body, undefined);
    await assert.rejects(ann.get(`${path}/attachments`), refusedWith(403, 'ErrorAccessDenied'));
  });

  it('shows attachments of each kind, and their values', async () => {
    const { mail } = graph;
    const [message] = mailbox.messages;
    assert.ok(message);
    mail.attach(message, 'logo.png', 'PNG', { isInline: true, contentId: 'logo@acme' });
    const path = `/me/messages/${message.id}`;
    assert.equal((await ann.get(path)).hasAttachments, false);
    const note = mail.attach(message, 'note.md', '# A note');
    const inner = mail.attach(message, 'Forwarded', 'Subject: Old\r\n\r\nOld', { kind: 'item' });
    const link = mail.attach(message, 'plan.docx', '', { kind: 'reference', claimedSize: 7 });
    assert.equal((await ann.get(path)).hasAttachments, true);
    const { rows } = await ann.all(`${path}/attachments`);
    assert.deepEqual(
      rows.map((row) => [row['@odata.type'].replace('#microsoft.graph.', ''), row.isInline]),
      [
        ['fileAttachment', true],
        ['fileAttachment', false],
        ['itemAttachment', false],
        ['referenceAttachment', false],
      ],
    );
    assert.equal(Buffer.from(rows[1]?.contentBytes, 'base64').toString(), '# A note');
    const slim = await ann.all(`${path}/attachments?$select=id,name,size,contentType,isInline`);
    assert.ok(slim.rows.every(({ contentBytes }) => contentBytes === undefined));
    const one = `${path}/attachments/${note.id}`;
    assert.equal((await ann.get(one)).contentId, null);
    assert.equal(await ann.content(`${one}/$value`), '# A note');
    assert.match(await ann.content(`${path}/attachments/${inner.id}/$value`), /Subject: Old/);
    const none = ann.content(`${path}/attachments/${link.id}/$value`);
    await assert.rejects(none, refusedWith(405, null));
    mail.detach(message, note);
    await assert.rejects(ann.get(one), refusedWith(404, 'ErrorItemNotFound'));
  });

  it('has mailboxes of others for an app, and none for some people', async () => {
    const { directory, settings, mail } = graph;
    const { bob, guest } = directory;
    mail.add(mail.mailboxOf(bob), must(mail.folderOf(mail.mailboxOf(bob), 'inbox')));
    const path = (key: string) => `/users/${key}/mailFolders/inbox/messages/delta`;
    assert.equal((await app.delta(path(bob.id))).rows.length, 1);
    assert.equal((await app.delta(path(bob.userPrincipalName))).rows.length, 1);
    await assert.rejects(ann.get(path(bob.id)), refusedWith(403, 'ErrorAccessDenied'));
    const nobody = app.get(path(guest.id));
    await assert.rejects(nobody, refusedWith(404, 'MailboxNotEnabledForRESTAPI'));
    await assert.rejects(app.get(path('zoe')), refusedWith(404, 'ErrorInvalidUser'));
    const wrong = app.get(`/users/${bob.id}/mailFolders/sent/messages`);
    await assert.rejects(wrong, refusedWith(400, 'ErrorInvalidIdMalformed'));
    await assert.rejects(app.get('/me/mailFolders'), refusedWith(400, 'BadRequest'));
    settings.forbidden.add(bob.id);
    await assert.rejects(app.get(path(bob.id)), refusedWith(403, 'ErrorAccessDenied'));
    settings.forbidden.clear();
    settings.forbidden.add(inbox.id);
    await assert.rejects(ann.get(deltaOf(inbox)), refusedWith(403, 'ErrorAccessDenied'));
    graph.peer.fault = () => graph.refusals.rateLimited[1];
    await assert.rejects(app.get('/users'), refusedWith(429, 'ApplicationThrottled'));
  });

  it('has the faults of all listings, and tells of a read message only that', async () => {
    const { settings, mail } = graph;
    const right = idsOf((await ann.delta(deltaOf(inbox))).last.values()).toSorted();
    for (const fault of ['emptyPages', 'pagesTwice', 'repeatsItems'] as const) {
      settings[fault] = true;
      const { rows, last } = await ann.delta(deltaOf(inbox));
      assert.deepEqual([...last.keys()].toSorted(), right, fault);
      assert.ok([...last.values()].every(({ subject }) => /^Mail/.test(subject)));
      assert.equal(rows.length > right.length, fault !== 'emptyPages');
      settings[fault] = false;
    }
    settings.readFlagsAlone = true;
    const [message] = mailbox.messages;
    assert.ok(message);
    const { deltaLink } = await ann.delta(deltaOf(inbox));
    mail.markRead(message);
    const [row] = (await ann.delta(deltaLink)).rows;
    assert.deepEqual(Object.keys(must(row)), ['@odata.etag', 'id', 'isRead']);
    settings.shifts = true;
    const { value, '@odata.nextLink': next } = await ann.get('/me/mailFolders/inbox/messages');
    const first = must(mailbox.messages.find(({ id }) => id === value[0].id));
    mail.trash(mailbox, first);
    assert.equal((await ann.all(next)).rows.length, 2);
  });
});
