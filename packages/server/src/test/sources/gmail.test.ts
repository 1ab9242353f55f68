/** Tests what gmail lists and follows in the mailbox of a person. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gmail } from '../../sources/catalog/gmail.ts';
import { type KnownMail, pack } from '../../sources/gmail/memory.ts';
import { VERSION } from '../../sources/gmail/record.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import type { GmailPeer } from './gmail-peer.ts';
import { ANN, openGmail } from './gmail-peer.ts';
import { usualGmailSettings } from './gmail-settings.ts';
import type { GmailWriting } from './gmail-writing.ts';
import { type GoogleHouse, openGoogleHouse } from './google-house.ts';
import { itemsOf, lastCursor, pullAll } from './harness.ts';

const DAY = 86_400_000;

describe('gmail lists and follows a mailbox', () => {
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
    fake.peer.requests.length = 0;
    Object.assign(fake.settings, usualGmailSettings());
    fake.world.addMailbox(ANN);
  });

  const box = () => fake.world.mailboxOf(ANN);
  const add = (text: string, writing: GmailWriting = {}) =>
    fake.world.add(box(), { subject: `About ${text}`, text: `The ${text} flies.`, ...writing });
  const file = (word: string) => ({ filename: 'notes.md', content: `The ${word} swims.` });
  const idOf = ({ id }: { id: string }, ...parts: string[]) => [ANN, id, ...parts].join('/');
  const asked = (path: RegExp) =>
    fake.peer.requests.filter(({ url }) => path.test(url.pathname + url.search));
  const gets = () => asked(/\/messages\/[^/]+\?/).length;
  const settings = (config: object = {}) => ({
    config,
    credentials: { service_account: fake.serviceAccount, subject: fake.me },
    operatorBaseUrl: fake.peer.baseUrl,
  });

  /** Returns the labels with which each message came last. */
  const labelsOf = (items: readonly SourceItem[]) =>
    new Map(
      itemsOf(items, 'upsert').map(({ entity }) => [entity.id, entity.fields.labels as string[]]),
    );

  it('lists 10,000 unchanged messages with the pages of the listing and four requests, and reads none', async () => {
    const known: KnownMail = new Map();
    for (let i = 0; i < 10_000; i++) known.set(fake.world.add(box(), { text: 'x' }).id, []);
    const first = await pullAll(gmail, settings({ included_labels: ['starred'] }));
    const { mailboxes } = lastCursor(first) as { mailboxes: Record<string, object> };
    const labels = Object.fromEntries([...box().labels.values()].map(({ id, name }) => [id, name]));
    const excluded = ['SPAM', 'TRASH', 'DRAFT'];
    const wanted = { included: null, excluded, after: null, query: null, unknown: [] };
    const rules = JSON.stringify([VERSION, wanted]);
    const stored = { ...mailboxes[ANN], names: labels, rules, known: await pack(known) };
    const cursor = { mailboxes: { [ANN]: stored } };
    fake.peer.requests.length = 0;
    const items = await pullAll(gmail, settings(), { lastCursor: cursor });
    assert.equal(itemsOf(items, 'stub').length, 10_000);
    assert.deepEqual([asked(/\/messages\?/).length, gets()], [20, 0]);
    assert.equal(fake.peer.requests.length, 24);
    fake.peer.requests.length = 0;
    const changes = await pullAll(gmail, settings(), { cursor });
    assert.deepEqual([itemsOf(changes, 'stub').length, fake.peer.requests.length], [0, 3]);
  });

  it('copies messages with their files, which are found by the owner alone', async () => {
    const message = add('heron', { files: [file('otter')], cc: 'Carl <carl@other.example>' });
    const { first, ids, record, having } = await house.follow();
    assert.deepEqual(await ids(), [idOf(message), idOf(message, '1')]);
    assert.deepEqual([first.entities_failed, first.entities_skipped], [0, 0]);
    const { metadata, breadcrumbs, url } = await record(idOf(message, '1'));
    assert.deepEqual([metadata.name, metadata.media_type], ['notes.md', 'text/markdown']);
    assert.match(JSON.stringify(breadcrumbs), /About heron/);
    assert.match(url, new RegExp(message.id));
    assert.deepEqual((await record(idOf(message))).metadata.cc, ['Carl <carl@other.example>']);
    for (const word of ['heron', 'otter']) {
      assert.equal((await having(word, `user:${ANN}`)).length, 1);
      assert.deepEqual(await having(word, 'user:bob@acme.example'), []);
    }
  });

  it('does not ask again for a message of which a file is left out', async () => {
    add('heron', { files: [file('otter'), { filename: 'weir.png', content: 'x' }] });
    const { first, full, ids } = await house.follow();
    assert.deepEqual([first.entities_skipped, (await ids()).length], [1, 2]);
    fake.peer.requests.length = 0;
    await full();
    assert.deepEqual([gets(), (await ids()).length], [0, 2]);
  });

  it('removes a message with its files, in the trash too, and copies them when they come back', async () => {
    const [one, two] = [
      add('heron', { files: [file('otter')] }),
      add('egret', { files: [file('mink')] }),
    ];
    const { sync, ids, full } = await house.follow();
    fake.world.trash(box(), one);
    fake.world.remove(box(), two);
    const { entities_deleted } = await sync();
    assert.equal(entities_deleted, 4);
    assert.deepEqual(await ids(), []);
    fake.world.untrash(box(), one);
    await sync();
    assert.deepEqual(await ids(), [idOf(one), idOf(one, '1')]);
    fake.world.remove(box(), one);
    await full();
    assert.deepEqual(await ids(), []);
  });

  it('shows other labels and names of labels, and reads nothing when a message was only read', async () => {
    const label = fake.world.addLabel(box(), 'Weir');
    const message = add('heron', { labels: ['INBOX', 'UNREAD'], files: [file('otter')] });
    const other = add('egret', { labels: [label.id] });
    const { sync, record, full } = await house.follow();
    const labels = async (id: string) => (await record(id)).metadata.labels;
    fake.peer.requests.length = 0;
    fake.world.relabel(box(), message, { remove: ['UNREAD'] });
    assert.equal((await sync()).entities_updated, 0);
    assert.equal(gets(), 0);
    fake.world.relabel(box(), message, { add: [label.id], remove: ['INBOX'] });
    await sync();
    assert.deepEqual(await labels(idOf(message)), ['Weir']);
    fake.world.renameLabel(label, 'Dam');
    assert.equal((await sync()).entities_updated, 2);
    assert.deepEqual(await labels(idOf(other)), ['Dam']);
    for (const [name, forgets] of [
      ['IMPORTANT', false],
      ['CATEGORY_FORUMS', true],
    ] as const) {
      fake.world.relabel(box(), other, { add: [name] });
      if (forgets) fake.world.forgetHistory(box());
      assert.equal((await full()).entities_updated, 1);
      assert.ok(((await labels(idOf(other))) as string[]).includes(name));
    }
    fake.world.relabel(box(), other, { remove: ['IMPORTANT', 'CATEGORY_FORUMS'] });
    fake.world.renameLabel(label, 'Lake');
    fake.world.relabel(box(), message, { add: ['STARRED'] });
    assert.equal((await full()).entities_updated, 2);
    assert.deepEqual(await labels(idOf(message)), ['Lake', 'STARRED']);
    fake.world.removeLabel(box(), label);
    await sync();
    assert.deepEqual(await labels(idOf(other)), []);
  });

  it('begins again when Gmail has forgotten the history, and finds what has changed before', async () => {
    const [one, two, three] = ['heron', 'egret', 'stork'].map((word) => add(word));
    const { sync, ids, record } = await house.follow();
    fake.world.remove(box(), must(one));
    fake.world.relabel(box(), must(two), { add: ['STARRED'] });
    fake.world.forgetHistory(box());
    const job = await sync();
    assert.deepEqual([job.sync_metadata.full, job.entities_deleted], [true, 1]);
    assert.deepEqual(
      await ids(),
      [must(two), must(three)].map((one) => idOf(one)),
    );
    const { metadata } = await record(idOf(must(two)));
    assert.ok((metadata.labels as string[]).includes('STARRED'));
    assert.equal((await sync()).sync_metadata.full, false);
  });

  it('misses no message when pages shift, because it lists again what has changed meanwhile', async () => {
    fake.settings.pagesShift = true;
    fake.settings.largestPage = 2;
    const all = Array.from({ length: 6 }, (_, i) => add(`heron${i}`));
    let pages = 0;
    fake.peer.fault = ({ url }) => {
      if (url.pathname.endsWith('/messages') && ++pages === 2)
        fake.world.remove(box(), must(all[5]));
      return undefined;
    };
    const { ids, sync } = await house.follow();
    fake.peer.fault = () => undefined;
    assert.deepEqual(
      await ids(),
      all.map((one) => idOf(one)),
    );
    await sync();
    assert.deepEqual(
      await ids(),
      all.slice(0, 5).map((one) => idOf(one)),
    );
  });

  it('misses no message when another one leaves the listed label meanwhile', async () => {
    Object.assign(fake.settings, { pagesShift: true, largestPage: 2 });
    const all = Array.from({ length: 6 }, (_, i) => add(`heron${i}`, { labels: ['INBOX'] }));
    let pages = 0;
    fake.peer.fault = ({ url }) => {
      if (url.pathname.endsWith('/messages') && ++pages === 2)
        fake.world.relabel(box(), must(all[5]), { remove: ['INBOX'] });
      return undefined;
    };
    const { ids } = await house.follow({ included_labels: ['inbox'] });
    for (const one of all.slice(0, 5)) assert.ok((await ids()).includes(idOf(one)));
  });

  it('goes on in the middle of the history after its last checkpoint', async () => {
    const cursor = lastCursor(await pullAll(gmail, settings()));
    fake.settings.largestPage = 2;
    const all = Array.from({ length: 6 }, (_, i) => add(`heron${i}`));
    const items = await pullAll(gmail, settings(), { cursor });
    const at = items.findIndex(
      (item) => item.kind === 'checkpoint' && itemsOf(items, 'checkpoint').indexOf(item) === 1,
    );
    const rest = await pullAll(gmail, settings(), { cursor: lastCursor(items.slice(0, at + 1)) });
    const read = (some: typeof items) => itemsOf(some, 'upsert').map(({ entity }) => entity.id);
    assert.ok(read(items.slice(0, at)).length < all.length);
    assert.deepEqual(
      new Set([...read(items.slice(0, at)), ...read(rest)]),
      new Set(all.map((one) => idOf(one))),
    );
  });

  it('shows the new name of a label after a sync that ended in the middle of the history', async () => {
    const label = fake.world.addLabel(box(), 'Weir');
    const message = add('heron', { labels: [label.id] });
    const cursor = lastCursor(await pullAll(gmail, settings()));
    fake.world.renameLabel(label, 'Dam');
    fake.settings.largestPage = 2;
    for (let i = 0; i < 6; i++) add(`egret${i}`);
    const items = await pullAll(gmail, settings(), { cursor });
    const [, inTheMiddle] = items.flatMap(({ kind }, i) => (kind === 'checkpoint' ? [i] : []));
    const begun = items.slice(0, must(inTheMiddle) + 1);
    const rest = await pullAll(gmail, settings(), { cursor: lastCursor(begun) });
    assert.deepEqual(labelsOf([...begun, ...rest]).get(idOf(message)), ['Dam']);
  });

  it('shows the new name of a label that was renamed while a full sync was interrupted', async () => {
    fake.settings.largestPage = 2;
    const label = fake.world.addLabel(box(), 'Weir');
    const all = Array.from({ length: 6 }, (_, i) => add(`heron${i}`, { labels: [label.id] }));
    const known = lastCursor(await pullAll(gmail, settings()));
    for (const [begun, now, lastKnown] of [
      ['Weir', 'Dam', null],
      // The messages have the old name again, as the last full sync has stored them, but this one has read the new one.
      ['Dam', 'Weir', known],
    ] as const) {
      fake.world.renameLabel(label, begun);
      const items = await pullAll(gmail, settings(), { lastCursor: lastKnown });
      const at = items.findIndex(({ kind }) => kind === 'bookmark') + 1;
      const { position } = must(itemsOf(items.slice(0, at), 'bookmark')[0]);
      fake.world.renameLabel(label, now);
      const rest = await pullAll(gmail, settings(), { bookmark: position, lastCursor: lastKnown });
      const labels = labelsOf([...items.slice(0, at), ...rest]);
      for (const one of all) assert.deepEqual(labels.get(idOf(one)), [now]);
    }
  });

  it('does not ask for a message that came and went meanwhile', async () => {
    const cursor = lastCursor(await pullAll(gmail, settings()));
    fake.world.remove(box(), add('heron'));
    fake.peer.requests.length = 0;
    const items = await pullAll(gmail, settings(), { cursor });
    assert.deepEqual([gets(), itemsOf(items, 'upsert')], [0, []]);
  });

  it('misses no change that comes between two pages of the history', async () => {
    fake.settings.historyIsFixed = true;
    const message = add('heron', { labels: ['INBOX'] });
    for (const isFull of [false, true]) {
      const cursor = lastCursor(await pullAll(gmail, settings()));
      fake.settings.largestPage = 2;
      for (let i = 0; i < 3; i++) add(`egret${i}`);
      const change = { [isFull ? 'add' : 'remove']: ['INBOX'] };
      let pages = 0;
      fake.peer.fault = ({ url }) => {
        if (url.pathname.endsWith('/history') && ++pages === 2)
          fake.world.relabel(box(), message, change);
        return undefined;
      };
      const first = await pullAll(gmail, settings(), isFull ? { lastCursor: cursor } : { cursor });
      const next = await pullAll(gmail, settings(), { cursor: lastCursor(first) });
      const labels = labelsOf([...first, ...next]).get(idOf(message));
      assert.equal(labels?.includes('INBOX'), isFull, String(isFull));
      fake.peer.fault = () => undefined;
    }
  });

  it('reads messages whose excluded label is deleted', async () => {
    const label = fake.world.addLabel(box(), 'Weir');
    const message = add('heron', { labels: [label.id] });
    const { ids, sync } = await house.follow({ excluded_labels: ['Weir'] });
    assert.deepEqual(await ids(), []);
    fake.world.removeLabel(box(), label);
    // The history need not tell it.
    assert.equal((await sync()).sync_metadata.full, true);
    assert.deepEqual(await ids(), [idOf(message)]);
  });

  for (const [name, change] of [
    ['come twice', { pagesRepeat: true }],
    ['are empty in the middle', { hasEmptyPages: true }],
    ['have a total that lies', { estimate: 0 }],
    ['have another order', { isReversed: true }],
    ['of the history say everything twice', { historyRepeats: true }],
  ] as const)
    it(`copies everything once when pages ${name}`, async () => {
      Object.assign(fake.settings, { largestPage: 2 }, change);
      const all = Array.from({ length: 5 }, (_, i) => add(`heron${i}`));
      const { ids, sync } = await house.follow();
      assert.deepEqual(
        await ids(),
        all.map((one) => idOf(one)),
      );
      all.push(add('egret'), add('stork'), add('crane'));
      fake.world.remove(box(), must(all.shift()));
      await sync();
      assert.deepEqual(
        await ids(),
        all.map((one) => idOf(one)),
      );
    });

  it('reads the messages that the configuration wants, and follows them', async () => {
    const label = fake.world.addLabel(box(), 'Weir plans');
    const inbox = add('heron', { labels: ['INBOX', label.id] });
    const labelled = add('egret', { labels: [label.id] });
    const promoted = add('stork', { labels: ['INBOX', 'CATEGORY_PROMOTIONS'] });
    const old = add('crane', { labels: ['INBOX'], at: Date.now() - 100 * DAY });
    const spam = add('ibis', { labels: ['SPAM'] });
    const draft = add('rail', { labels: ['DRAFT'] });
    const read = async (config: object) => {
      const { ids } = await house.follow(config);
      return ids();
    };
    const sorted = (...all: { id: string }[]) => all.map((one) => idOf(one)).toSorted();
    assert.deepEqual(await read({}), sorted(inbox, labelled, promoted, old));
    assert.deepEqual(await read({ included_labels: ['weir PLANS'] }), sorted(inbox, labelled));
    assert.deepEqual(
      await read({ included_labels: ['inbox', label.id] }),
      sorted(inbox, labelled, promoted, old),
    );
    assert.deepEqual(
      await read({ included_labels: ['inbox'], excluded_labels: ['Weir plans'] }),
      sorted(promoted, old),
    );
    assert.deepEqual(
      await read({ excluded_labels: ['trash', 'inbox'] }),
      sorted(labelled, spam, draft),
    );
    const day = new Date(Date.now() - 50 * DAY).toISOString().slice(0, 10);
    assert.deepEqual(
      await read({ after_date: day, excluded_categories: ['promotions'] }),
      sorted(inbox, labelled),
    );
    const { ids, sync } = await house.follow({ included_labels: ['starred'] });
    fake.world.relabel(box(), old, { add: ['STARRED'] });
    await sync();
    assert.deepEqual(await ids(), sorted(old));
    fake.world.relabel(box(), old, { remove: ['STARRED'] });
    fake.world.relabel(box(), inbox, { add: ['STARRED'] });
    await sync();
    assert.deepEqual(await ids(), sorted(inbox));
  });

  it('lists what a query finds in each sync, because the history does not tell it', async () => {
    const [one, two] = [add('heron'), add('egret')];
    const { ids, sync } = await house.follow({ gmail_query: 'subject:heron OR is:starred' });
    assert.deepEqual(await ids(), [idOf(one)]);
    fake.world.relabel(box(), two, { add: ['STARRED'] });
    const three = add('heron again', { subject: 'heron again' });
    const job = await sync();
    assert.equal(job.sync_metadata.full, false);
    assert.deepEqual(
      await ids(),
      [one, two, three].map((found) => idOf(found)),
    );
    fake.world.relabel(box(), two, { remove: ['STARRED'] });
    fake.world.remove(box(), one);
    await sync();
    assert.deepEqual(await ids(), [idOf(three)]);
  });

  it('asks for a file again when the id of the attachment is no longer valid', async () => {
    const message = add('heron', { files: [file('otter')] });
    let isForgotten = false;
    fake.peer.fault = ({ url }) => {
      if (url.pathname.includes('/attachments/') && !isForgotten) {
        isForgotten = true;
        fake.forgetAttachments();
      }
      return undefined;
    };
    const { ids, first, having } = await house.follow();
    assert.deepEqual(await ids(), [idOf(message), idOf(message, '1')]);
    assert.equal(first.entities_failed, 0);
    assert.deepEqual(await having('otter'), [idOf(message, '1')]);
  });

  it('reads texts of any charset, attached messages, and long texts that are attachments, too', async () => {
    for (const decodes of [true, false]) {
      fake.world.addMailbox(ANN);
      Object.assign(fake.settings, {
        decodesTexts: decodes,
        decodesHeaders: decodes,
        inlineBytes: 100,
      });
      const plain = add('x', { text: '堰で鷺が待つ。', charset: 'shift_jis' });
      const html = add('x', {
        html: `<h1>Weir</h1><p>${'The heron. '.repeat(50)}</p><p>bittern</p>`,
      });
      const { record, having, first } = await house.follow();
      assert.equal(first.entities_failed, 0);
      assert.match((await record(idOf(plain))).md_content, /鷺が待つ/);
      assert.deepEqual(await having('bittern'), [idOf(html)]);
    }
  });

  it('leaves out files and texts that are too large, with the reason', async () => {
    const message = add('heron', {
      files: [{ filename: 'big.txt', content: 'heron '.repeat(4_000_000) }],
    });
    const { ids, first, skipped } = await house.follow();
    assert.deepEqual([await ids(), first.entities_skipped], [[idOf(message)], 1]);
    assert.match(JSON.stringify(await skipped(first)), /too large/);
  });

  for (const odd of [
    'null texts',
    'lone surrogates',
    'numbers as texts',
    'unknown kinds',
    'year 0',
    'year 9999',
    'broken dates',
    'bare messages',
  ] as const)
    it(`survives answers with ${odd}`, async () => {
      const message = add('heron', { files: [file('otter')] });
      fake.settings.odd = new Set([odd]);
      const { ids, first, sync } = await house.follow();
      assert.ok((await ids()).includes(idOf(message)));
      assert.equal(first.entities_failed, 0);
      fake.world.remove(box(), message);
      await sync();
      assert.deepEqual(await ids(), []);
    });

  it('loses only a message whose answer is too large', async () => {
    fake.settings.odd = new Set(['huge text']);
    add('heron');
    const { ids, first, failures } = await house.follow();
    assert.deepEqual([await ids(), first.entities_failed], [[], 1]);
    assert.match(JSON.stringify(await failures(first)), /over 33554432 bytes/);
  });

  it('ends a listing whose pages lead in circles', async () => {
    const all = Array.from({ length: 5 }, (_, i) => add(`heron${i}`));
    const { ids, id } = await house.follow();
    Object.assign(fake.settings, { odd: new Set(['cursor repeats']), largestPage: 2 });
    await house.quarry.ok('POST', `/v1/source-connections/${id}/run?force_full_sync=true`);
    const job = await house.quarry.settled(id, { hurry: true });
    assert.equal(job.status, 'failed');
    assert.deepEqual(
      await ids(),
      all.map((one) => idOf(one)),
    );
  });
});
