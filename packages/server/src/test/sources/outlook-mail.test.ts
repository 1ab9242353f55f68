/** Tests what is special about outlook_mail: moves, files, folders, and mailboxes of an organization. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { outlookMail } from '../../sources/catalog/outlook-mail.ts';
import { must } from '../../util.ts';
import { json } from './cloud-peer.ts';
import { type GraphHouse, openGraphHouse } from './graph-house.ts';
import type { GraphMailbox, GraphMailFolder, GraphMessage } from './graph-mail-records.ts';
import { type GraphPeer, openGraph } from './graph-peer.ts';
import { GRAPH_PERSON_TOKEN } from './graph-tokens.ts';

const ANN = 'user:ann@acme.example';
const BOB = 'user:bob@acme.example';

describe('outlook_mail', () => {
  let graph: GraphPeer;
  let house: GraphHouse;
  let mail: GraphPeer['mail'];
  let box: GraphMailbox;
  let inbox: GraphMailFolder;
  before(async () => {
    graph = await openGraph();
    mail = graph.mail;
    house = await openGraphHouse(outlookMail, graph);
  });
  after(async () => {
    await house.close();
    await graph.peer.close();
  });
  beforeEach(() => {
    mail.mailboxes.clear();
    box = mail.mailboxOf(graph.directory.ann);
    inbox = folder('inbox');
    Object.assign(graph.settings, { largestPage: 1000, readFlagsAlone: false, spoil: null });
    graph.settings.forbidden.clear();
    graph.peer.fault = () => undefined;
    graph.peer.requests.length = 0;
  });
  const folder = (name: string) => must(mail.folderOf(box, name));
  const idOf = ({ immutableId }: GraphMessage, { user } = box) => `${user.id}/${immutableId}`;
  const asked = (path: RegExp) =>
    graph.peer.requests.filter(({ url }) => path.test(url.pathname)).length;
  /** A person signs in, as in a browser. */
  const asAnn = { access_token: GRAPH_PERSON_TOKEN };
  const follow = (config: object = {}) => house.follow(config, asAnn);

  it('a message has its text in Markdown, its people and its folder', async () => {
    const projects = mail.addFolder(box, 'Projects');
    const acme = mail.addFolder(box, 'Acme', { parent: projects.id });
    mail.add(box, acme, {
      subject: 'The plan',
      body: '<h1>Plan</h1><ul><li>the heron</li></ul><table><tr><th>a</th></tr><tr><td>b</td></tr></table>',
      cc: [{ name: null, address: 'cc@partner.example' }],
    });
    const { record } = await follow();
    const { md_content, metadata, breadcrumbs } = await record('heron');
    assert.match(md_content, /# Plan/);
    assert.match(md_content, /[-*] the heron/);
    assert.deepEqual(breadcrumbs, ['Projects', 'Acme']);
    assert.deepEqual(
      [metadata.folder, metadata.from, metadata.to, metadata.cc, metadata.mailbox],
      [
        'Projects/Acme',
        ['Stranger <stranger@partner.example>'],
        ['Ann <ann@acme.example>'],
        ['cc@partner.example'],
        'ann@acme.example',
      ],
    );
  });

  it('drafts, junk and deleted messages are left out, and what moves there is gone', async () => {
    const kept = mail.add(box, inbox, { body: 'heron 1' });
    const trashed = mail.add(box, inbox, { body: 'heron 2' });
    mail.attach(trashed, 'notes.md', 'heron in a file');
    for (const name of ['drafts', 'junkemail', 'deleteditems'])
      mail.add(box, folder(name), { body: 'heron out' });
    mail.add(box, mail.addFolder(box, 'Old', { parent: folder('deleteditems').id }), {
      body: 'heron below',
    });
    const { having, sync } = await follow();
    assert.deepEqual(
      await having('heron'),
      [idOf(kept), idOf(trashed), `${idOf(trashed)}/1`].toSorted(),
    );
    mail.trash(box, trashed);
    await sync();
    assert.deepEqual(await having('heron'), [idOf(kept)]);
  });

  it('a message that moves keeps its id, whichever folder is asked first', async () => {
    const archive = folder('archive');
    const message = mail.add(box, inbox, { body: 'heron' });
    mail.attach(message, 'notes.md', 'an otter in a file');
    const { having, record, sync } = await follow();
    for (const [place, name] of [
      [archive, 'Archive'],
      [inbox, 'Inbox'],
      [archive, 'Archive'],
    ] as const) {
      mail.move(box, message, place);
      const job = await sync();
      assert.deepEqual([job.entities_inserted, job.entities_deleted], [0, 0], name);
      assert.deepEqual(await having('heron'), [idOf(message)]);
      assert.deepEqual(await having('otter'), [`${idOf(message)}/1`]);
      assert.equal((await record('heron')).metadata.folder, name);
    }
  });

  it('files are records of their own, below their message, and deleted with it', async () => {
    const message = mail.add(box, inbox, { subject: 'With files', body: 'otter' });
    const notes = mail.attach(message, 'notes.md', 'the heron');
    mail.attach(message, 'logo.png', 'x', { contentType: 'image/png', isInline: true });
    mail.attach(message, 'photo.png', 'x', { contentType: 'image/png' });
    mail.attach(message, 'Fwd', 'x', { kind: 'item' });
    mail.attach(message, 'cloud.docx', 'x', { kind: 'reference' });
    const { having, record, sync, skipped, first } = await follow();
    const { breadcrumbs, metadata } = await record('heron');
    assert.deepEqual(breadcrumbs, ['Inbox', 'With files']);
    assert.equal(metadata.mailbox, 'ann@acme.example');
    const reasons = (await skipped(first)).map(({ reason }: { reason: string }) => reason);
    assert.deepEqual(reasons.toSorted(), [
      'of a kind that is not read yet',
      'of a kind without text',
      'only a link',
    ]);
    mail.detach(message, notes);
    await sync();
    assert.deepEqual(await having('heron'), []);
    // Where a message has no files left, no other file takes the number of the one that is gone.
    const other = mail.add(box, inbox, { body: 'grebe' });
    const last = mail.attach(other, 'last.md', 'the egret');
    await sync();
    assert.equal((await having('egret')).length, 1);
    mail.detach(other, last);
    await sync();
    assert.deepEqual(await having('egret'), []);
    mail.attach(message, 'notes.md', 'the heron is back');
    await sync();
    assert.equal((await having('heron')).length, 1);
    mail.remove(box, message);
    await sync();
    assert.deepEqual([await having('heron'), await having('otter')], [[], []]);
  });

  it('a full pull asks for the files of new and changed messages only', async () => {
    const messages = Array.from({ length: 20 }, (_, i) => {
      const message = mail.add(box, inbox, { body: `grebe ${i}` });
      mail.attach(message, 'notes.md', `heron ${i}`);
      return message;
    });
    const { full, having, skipped } = await follow();
    assert.equal(asked(/\/attachments$/), 20);
    graph.peer.requests.length = 0;
    const again = await full();
    assert.deepEqual([again.entities_kept, again.entities_deleted], [40, 0]);
    assert.equal(asked(/attachments/), 0);
    const [first] = messages;
    mail.attach(must(first), 'photo.png', 'x', { contentType: 'image/png' });
    const changed = await full();
    assert.equal(asked(/\/attachments$/), 1);
    assert.equal((await skipped(changed)).length, 1);
    assert.equal((await skipped(await full())).length, 0);
    assert.equal((await having('heron')).length, 20);
  });

  it('a change of which a delta tells little is read whole', async () => {
    graph.settings.readFlagsAlone = true;
    const message = mail.add(box, inbox, { subject: 'Hello', body: 'heron' });
    const { having, sync } = await follow();
    mail.markRead(message);
    const job = await sync();
    assert.deepEqual([job.entities_updated, job.entities_deleted], [0, 0]);
    assert.deepEqual(await having('heron'), [idOf(message)]);
  });

  it('chosen folders are read with those below them, by well-known names and by paths', async () => {
    const projects = mail.addFolder(box, 'Projects');
    const acme = mail.addFolder(box, 'Acme', { parent: projects.id });
    const old = mail.addFolder(box, 'Old', { parent: projects.id });
    const all = [inbox, folder('sentitems'), projects, acme, old].map((place) =>
      idOf(mail.add(box, place, { body: 'heron' })),
    );
    const { having } = await follow({
      included_folders: ['inbox', 'projects'],
      excluded_folders: ['Projects/Old'],
    });
    assert.deepEqual(await having('heron'), [all[0], all[2], all[3]].toSorted());
  });

  it('messages of a renamed folder show its new name, and those of a deleted folder are gone', async () => {
    const place = mail.addFolder(box, 'Projects');
    const message = mail.add(box, place, { body: 'heron' });
    const { having, record, sync } = await follow();
    mail.changeFolder(place, { name: 'Work' });
    await sync();
    assert.equal((await record('heron')).metadata.folder, 'Work');
    mail.move(box, message, inbox);
    mail.removeFolder(box, place);
    await sync();
    assert.deepEqual(await having('heron'), [idOf(message)]);
    mail.remove(box, message);
    await sync();
    assert.deepEqual(await having('heron'), []);
  });

  it('messages before the chosen day are left out', async () => {
    const dated = (receivedAt: string) => idOf(mail.add(box, inbox, { body: 'heron', receivedAt }));
    dated('2026-01-31T23:59:59Z');
    const kept = dated('2026-02-01T00:00:00Z');
    const { having } = await follow({ after_date: '2026-02-01' });
    assert.deepEqual(await having('heron'), [kept]);
  });

  it('an app reads the mailboxes of all people, and says which ones it leaves out', async () => {
    const { bob, cid } = graph.directory;
    const other = mail.mailboxOf(bob);
    const ofAnn = idOf(mail.add(box, inbox, { body: 'heron' }));
    const ofBob = idOf(
      mail.add(other, must(mail.folderOf(other, 'inbox')), { body: 'heron' }),
      other,
    );
    const { having, first, skipped, sync, full, failures } = await house.follow();
    assert.deepEqual(await having('heron'), [ofAnn, ofBob].toSorted());
    assert.deepEqual(await having('heron', ANN), [ofAnn]);
    assert.deepEqual(await having('heron', BOB), [ofBob]);
    const left = await skipped(first);
    assert.deepEqual(
      left.map(({ reason, detail }: { reason: string; detail: string }) => [reason, detail]),
      [['without a mailbox', must(cid.mail)]],
    );
    // An administrator may close a mailbox by mistake.
    graph.settings.forbidden.add(bob.id);
    for (let i = 0; i < 2; i++) {
      const job = await full();
      assert.equal((await failures(job)).length, 1);
      assert.deepEqual(await having('heron', BOB), [ofBob]);
    }
    const only = await house.follow({ mailboxes: ['ann@acme.example'] });
    assert.deepEqual(await only.having('heron'), [ofAnn]);
    graph.settings.forbidden.clear();
    const both = await house.follow({ mailboxes: ['ann@acme.example', bob.userPrincipalName] });
    assert.equal((await both.having('heron')).length, 2);
    graph.directory.users.delete(bob.id);
    await sync();
    assert.deepEqual(await having('heron'), [ofAnn]);
    // The others of the chosen mailboxes are read although somebody has left the organization.
    const later = mail.add(box, inbox, { body: 'heron, too' });
    const gone = await both.sync();
    assert.deepEqual(await both.having('heron'), [ofAnn, idOf(later)].toSorted());
    const [one] = await both.skipped(gone);
    assert.deepEqual([one.reason, one.detail], ['no such person', bob.userPrincipalName]);
    graph.directory.users.set(bob.id, bob);
  });

  it('a folder whose link is forgotten is listed again, and unchanged messages cost few requests', async () => {
    for (let i = 0; i < 250; i++) mail.add(box, inbox, { body: `heron ${i}`, bodyType: 'text' });
    const { sync, full } = await follow({ included_folders: ['inbox'], excluded_folders: [] });
    graph.peer.requests.length = 0;
    await sync();
    assert.ok(graph.peer.requests.length <= 5, `${graph.peer.requests.length} requests`);
    graph.peer.requests.length = 0;
    const job = await full();
    assert.equal(job.entities_updated, 0);
    assert.equal(asked(/messages\/delta/), 5);
    assert.ok(graph.peer.requests.length <= 8, `${graph.peer.requests.length} requests`);
    const [first] = box.messages;
    graph.forgetCursors();
    mail.remove(box, must(first));
    const { entities_deleted } = await sync();
    assert.equal(entities_deleted, 1);
  });

  it('a folder begins again whichever code tells that its link is forgotten', async () => {
    const kept = mail.add(box, inbox, { body: 'heron' });
    const { sync, having } = await follow();
    for (const error of [
      { code: 'syncStateNotFound' },
      { code: 'BadRequest', innerError: { code: 'syncStateNotFound' } },
      { code: 'BadRequest', innererror: { code: 'x', innererror: { code: 'resyncRequired' } } },
    ]) {
      const gone = mail.add(box, inbox, { body: 'weir' });
      await sync();
      mail.remove(box, gone);
      graph.forgetCursors();
      const refused = new Set<string>();
      graph.peer.fault = ({ url }) => {
        if (!url.searchParams.has('$deltatoken') || refused.has(url.pathname)) return undefined;
        refused.add(url.pathname);
        return json(400, { error: { message: 'The token has expired.', ...error } });
      };
      const { entities_deleted } = await sync();
      assert.equal(entities_deleted, 1, JSON.stringify(error));
      assert.deepEqual(await having('heron'), [idOf(kept)]);
    }
  });

  it('folders that are gone or that only search are not read, and one that comes twice is read once', async () => {
    mail.add(box, inbox, { body: 'heron' });
    const searches = { '@odata.type': '#microsoft.graph.mailSearchFolder' };
    graph.settings.spoil = (value, { url }) =>
      url.pathname.endsWith('/mailFolders/delta')
        ? {
            ...value,
            value: [
              { id: 'gone', '@removed': { reason: 'deleted' } },
              { id: 'search', displayName: 'Unread', ...searches },
              ...value.value,
              { ...value.value.find(({ id }: { id: string }) => id === inbox.id) },
            ],
          }
        : undefined;
    const { first, sync } = await follow();
    assert.deepEqual([first.entities_inserted, first.entities_failed], [1, 0]);
    assert.equal(asked(/\/(?:gone|search)\//), 0);
    graph.peer.requests.length = 0;
    await sync();
    assert.equal(asked(new RegExp(`${encodeURIComponent(inbox.id)}/messages/delta`)), 1);
  });

  it('a message that moves while everything is listed is not deleted', async () => {
    const archive = folder('archive');
    const message = mail.add(box, archive, { body: 'heron' });
    const { full, having } = await follow();
    graph.peer.fault = ({ url }) => {
      // The inbox has been listed before.
      if (decodeURIComponent(url.pathname).includes(archive.id) && message.folder === archive.id)
        mail.move(box, message, inbox);
      return undefined;
    };
    const job = await full();
    assert.equal(message.folder, inbox.id);
    assert.deepEqual([job.entities_deleted, job.entities_inserted], [0, 0]);
    assert.deepEqual(await having('heron'), [idOf(message)]);
  });

  it('a message that moves while its folder is listed again is not deleted, also not for a moment', async () => {
    const place = mail.addFolder(box, 'Projects');
    const other = mail.addFolder(box, 'Others');
    for (const [why, prepare, target] of [
      ['a renamed folder', () => mail.changeFolder(place, { name: 'Work' }), () => inbox],
      ['a forgotten link', () => graph.forgetCursors(), () => inbox],
      ['another forgotten link', () => graph.forgetCursors(), () => other],
      ['a new folder', () => graph.forgetCursors(), () => mail.addFolder(box, 'New')],
    ] as const) {
      const message = mail.add(box, place, { body: `heron ${why}` });
      mail.attach(message, 'notes.md', `otter ${why}`);
      const { sync, having } = await follow();
      prepare();
      // All folders are read in the order of the list, and the move happens before the first listing of this one.
      graph.peer.fault = ({ url }) => {
        const isOfPlace = decodeURIComponent(url.pathname).includes(place.id);
        if (isOfPlace && url.searchParams.has('$select') && message.folder === place.id)
          mail.move(box, message, target());
        return undefined;
      };
      const job = await sync();
      graph.peer.fault = () => undefined;
      assert.notEqual(message.folder, place.id, why);
      assert.equal(job.entities_deleted, 0, why);
      assert.deepEqual(await having('otter'), [`${idOf(message)}/1`], why);
      const { entities_inserted, entities_deleted } = await sync();
      assert.deepEqual([entities_inserted, entities_deleted], [0, 0], why);
      assert.deepEqual(await having('heron'), [idOf(message)], why);
      mail.remove(box, message);
      assert.equal((await sync()).entities_deleted, 2, why);
    }
  });

  it('a message that moves to a folder that is made meanwhile is not deleted', async () => {
    const junk = folder('junkemail');
    for (const isFull of [false, true])
      for (const above of [box.rootId, junk.id]) {
        const message = mail.add(box, folder('archive'), { body: 'heron' });
        const { sync, full, having } = await follow();
        graph.peer.fault = ({ url }) => {
          if (/messages.delta/.test(url.pathname) && message.folder === folder('archive').id)
            mail.move(box, message, mail.addFolder(box, 'New', { parent: above }));
          return undefined;
        };
        const job = await (isFull ? full() : sync());
        graph.peer.fault = () => undefined;
        assert.equal(job.entities_deleted, above === junk.id ? 1 : 0);
        await sync();
        assert.deepEqual(await having('heron'), above === junk.id ? [] : [idOf(message)]);
        mail.remove(box, message);
      }
  });

  it('what Microsoft refuses is named, and is never taken for an empty mailbox', async () => {
    const { permissions } = graph.settings;
    mail.add(box, inbox, { body: 'heron' });
    const { id, having } = await house.follow();
    permissions.delete('Mail.Read');
    const refused = await house.connect();
    assert.equal(refused.status, 422);
    assert.match(JSON.stringify(refused.body), /no mailbox can be read: .* answered 403/);
    const job = await house.quarry.sync(id, '?force_full_sync=true');
    assert.equal(job.status, 'failed');
    assert.match(job.error, /no mailbox can be read/);
    assert.equal((await having('heron')).length, 1);
    permissions.add('Mail.Read');
    permissions.delete('User.Read.All');
    const unlisted = await house.connect();
    assert.match(JSON.stringify(unlisted.body), /the permission User\.ReadBasic\.All is missing/);
    permissions.add('User.Read.All');
    for (const [config, says] of [
      [{ included_folders: ['Nowhere'] }, /none of the chosen folders/],
      [{ after_date: 'soon' }, /after_date/],
    ] as const) {
      const { status, body } = await house.connect(config, asAnn);
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), says);
    }
  });
});
