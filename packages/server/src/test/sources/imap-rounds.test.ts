/** Tests pulls of the imap source while a person changes the mailbox, and pulls that go on where another one broke off. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { imap } from '../../sources/catalog/imap.ts';
import type { SourceItem } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { type DovecotServer, needsDovecot, startDovecot } from '../dovecot-server.ts';
import { contextOf, itemsOf, lastCursor, type PullOptions, pullAll, pullOf } from './harness.ts';
import { attached, type MailAccount, multipart, openAccount, plain } from './imap-account.ts';
import { openFake, type Script } from './imap-fake.ts';

describe('a pull of a mailbox', needsDovecot, () => {
  let server: DovecotServer;
  let account: MailAccount;
  before(async () => {
    server = await startDovecot();
  });
  after(() => server?.stop());
  beforeEach(async () => {
    account = await openAccount(server);
    await account.create('Zoo');
  });
  const settings = () => ({ credentials: account.credentials, config: {} });
  const pull = (options: PullOptions = {}) => pullAll(imap, settings(), options);
  const homeOf = (items: readonly SourceItem[]) =>
    new Map(itemsOf(items, 'stub').map(({ id, partition }) => [id, partition]));

  /** Pulls, and calls `change` when the first item that `isMoment` selects has come. */
  async function pullDuring(
    options: PullOptions,
    isMoment: (item: SourceItem) => boolean,
    change: () => Promise<unknown>,
  ): Promise<SourceItem[]> {
    const items: SourceItem[] = [];
    let isChanged = false;
    for await (const item of pullOf(imap, settings(), options)) {
      items.push(item);
      if (isChanged || !isMoment(item)) continue;
      isChanged = true;
      await change();
    }
    assert.ok(isChanged);
    return items;
  }

  it('needs no command for a message, and few when nothing has changed', async () => {
    async function commandsOf(options: PullOptions = {}) {
      const context = contextOf(imap, settings(), options);
      const items: SourceItem[] = [];
      for await (const item of must(imap.pull)(context)) items.push(item);
      return { items, commands: context.meter.requests };
    }
    const file = multipart('mixed', [plain('The plan.'), attached('plan.txt', 'All of it.')]);
    const grow = async () => {
      for (const folder of ['INBOX', 'Zoo', 'Zoo'])
        await account.append(folder, { subject: 'Plan', body: file });
    };
    await grow();
    const once = await commandsOf();
    for (let i = 0; i < 2; i++) await grow();
    const twice = await commandsOf();
    assert.equal(itemsOf(twice.items, 'stub').length, 18);
    assert.equal(twice.commands, once.commands);
    const unchanged = await commandsOf({ cursor: lastCursor(twice.items) });
    assert.ok(unchanged.commands <= 5, `${unchanged.commands}`);
  });

  it('finds a message that is moved meanwhile into a folder that was read before', async () => {
    await account.append('INBOX', { subject: 'First' });
    const uid = await account.append('Zoo', { subject: 'Moving' });
    const first = await pull();
    const [moving] = [...homeOf(first)].filter(([, partition]) => partition === 'Zoo');
    const [id] = must(moving);
    await account.append('INBOX', { subject: 'Second' });
    await account.append('Zoo', { subject: 'Third' });
    const items = await pullDuring(
      { cursor: lastCursor(first) },
      ({ kind }) => kind === 'stub',
      () => account.move('Zoo', uid, 'INBOX'),
    );
    assert.equal(homeOf(items).get(id), 'INBOX');
    assert.deepEqual(itemsOf(items, 'remove'), []);
    assert.deepEqual(await pull({ cursor: lastCursor(items) }), []);
  });

  it('leaves what is gone in the last of its rounds to the next pull, because it may have moved', async () => {
    await account.create('Zulu');
    const moved = await account.append('Zulu', { subject: 'Moved' });
    const first = await pull();
    const [id = ''] = homeOf(first).keys();
    const gone = await account.append('Zulu', { subject: 'Gone' });
    const second = await pull({ cursor: lastCursor(first) });
    const [goneId] = homeOf(second).keys();
    const add = (folder: string) => account.append(folder, { subject: 'New' });
    await add('Zulu');
    // The server does not tell what is new in the open folder, so each change is in another one.
    const changes: [folder: string, change: () => Promise<unknown>][] = [
      ['Zulu', () => Promise.all(['INBOX', 'Zoo'].map(add))],
      ['INBOX', () => add('Zulu')],
      ['Zoo', () => add('INBOX')],
      // The inbox has been read for the last time, and the other folder is still to be read.
      [
        'INBOX',
        async () => {
          await account.move('Zulu', moved, 'INBOX');
          await account.expunge('Zulu', gone);
        },
      ],
    ];
    const items: SourceItem[] = [];
    for await (const item of pullOf(imap, settings(), { cursor: lastCursor(second) })) {
      items.push(item);
      if (item.kind === 'stub' && item.partition === changes[0]?.[0]) await changes.shift()?.[1]();
    }
    assert.equal(changes.length, 0);
    assert.deepEqual(itemsOf(items, 'remove'), []);
    const next = await pull({ cursor: lastCursor(items) });
    assert.equal(homeOf(next).get(id), 'INBOX');
    const removed = itemsOf(next, 'remove').map((item) => item.id);
    assert.deepEqual(removed, [goneId]);
    assert.deepEqual(await pull({ cursor: lastCursor(next) }), []);
  });

  it('in full also finds what is deleted, moved and added after it was read', async () => {
    const gone = await account.append('INBOX', { subject: 'Gone' });
    const moved = await account.append('INBOX', { subject: 'Moved' });
    await account.append('Zoo', { subject: 'Last' });
    const items = await pullDuring(
      {},
      (item) => item.kind === 'stub' && item.partition === 'Zoo',
      async () => {
        await account.expunge('INBOX', gone);
        await account.move('INBOX', moved, 'Zoo');
        await account.append('INBOX', { subject: 'New' });
      },
    );
    const removed = itemsOf(items, 'remove').map(({ id }) => id);
    assert.equal(removed.length, 1);
    const homes = [...homeOf(items)].filter(([id]) => !removed.includes(id));
    assert.deepEqual(homes.map(([, partition]) => partition).toSorted(), ['INBOX', 'Zoo', 'Zoo']);
    assert.deepEqual(await pull({ cursor: lastCursor(items) }), []);
  });

  it('goes on at its bookmark, and knows what is gone of what was read before', async () => {
    for (let i = 0; i < 1300; i++) await account.append('INBOX', `Subject: ${i}\r\n\r\n${i}\r\n`);
    const untilBookmark = async (options: PullOptions = {}) => {
      const items: SourceItem[] = [];
      for await (const item of pullOf(imap, settings(), options)) {
        items.push(item);
        if (item.kind === 'bookmark') break;
      }
      const { position } = must(itemsOf(items, 'bookmark').at(-1));
      return { items, bookmark: JSON.parse(JSON.stringify(position)) };
    };
    const { items: before, bookmark } = await untilBookmark();
    assert.equal(itemsOf(before, 'stub').length, 1000);
    // Nothing has changed, and the rest is read.
    assert.equal(itemsOf(await pull({ bookmark }), 'stub').length, 300);
    await account.expunge('INBOX', '1:2,1100');
    await account.move('INBOX', '3', 'Zoo');
    await account.append('Zoo', { subject: 'New' });
    // Another attempt breaks off, and the last one must still know what is gone.
    const second = await untilBookmark({ bookmark });
    const rest = [...second.items, ...(await pull({ bookmark: second.bookmark }))];
    // 300 were not read before, one of them is gone, one message has moved, and one is new.
    assert.equal(itemsOf(rest, 'stub').length, 301);
    const removed = itemsOf(rest, 'remove').map(({ id }) => id);
    assert.deepEqual(
      removed,
      itemsOf(before, 'stub')
        .slice(0, 2)
        .map(({ id }) => id),
    );
    const oracle = homeOf(await pull());
    const homes = new Map([...homeOf(before), ...homeOf(rest)]);
    for (const id of removed) homes.delete(id);
    assert.deepEqual(new Map([...homes].toSorted()), new Map([...oracle].toSorted()));
    assert.deepEqual(
      itemsOf(rest, 'listed')
        .map(({ partition }) => partition)
        .toSorted(),
      ['INBOX', 'Zoo'],
    );
    assert.deepEqual(await pull({ cursor: lastCursor(rest) }), []);
    await account.rename('INBOX', 'Old');
    await assert.rejects(
      pull({ bookmark }),
      (error: unknown) => error instanceof SourceError && error.kind === 'outdated',
    );
  });

  it('of an unchanged mailbox sends one command', async () => {
    await account.append('INBOX', { subject: 'First' });
    const ctx = contextOf(imap, settings(), { cursor: lastCursor(await pull()) });
    const items: SourceItem[] = [];
    for await (const item of must(imap.pull)(ctx)) items.push(item);
    assert.deepEqual(items, []);
    assert.equal(ctx.meter.requests, 1);
    assert.ok(ctx.meter.bytes > 0);
  });

  it('offers all folders that can be opened', async () => {
    await account.create('Work/Inner');
    await account.append('INBOX', { subject: 'First' });
    const options = await must(imap.options)(contextOf(imap, settings()), {
      field: 'folders',
      query: '',
      limit: 50,
    });
    assert.deepEqual(
      options.map(({ value, description }) => `${value}: ${description}`).toSorted(),
      [
        'Drafts: 0 messages, left out unless it is chosen',
        'INBOX: 1 messages',
        'Junk: 0 messages, left out unless it is chosen',
        'Trash: 0 messages, left out unless it is chosen',
        'Work/Inner: 0 messages',
        'Zoo: 0 messages',
      ],
    );
  });
});

describe('folders', () => {
  const folder = (flags: string, path: string) => [
    `* LIST (${flags}) "/" "${path}"`,
    `* STATUS "${path}" (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1)`,
  ];
  const ANSWER =
    '* 1 FETCH (UID 1 INTERNALDATE "02-Mar-2026 10:00:00 +0000" RFC822.SIZE 9 ENVELOPE (NIL "Hello" NIL NIL NIL NIL NIL NIL NIL "<a@b>") BODYSTRUCTURE ("text" "plain" NIL NIL NIL "7bit" 5 1 NIL NIL NIL NIL))';
  const script: Script = {
    CAPABILITY: () => [
      '* CAPABILITY IMAP4rev1 LIST-STATUS ESEARCH SPECIAL-USE NAMESPACE',
      '% OK done',
    ],
    LOGIN: () => ['% OK [CAPABILITY IMAP4rev1 LIST-STATUS ESEARCH SPECIAL-USE NAMESPACE] done'],
    NAMESPACE: () => [
      '* NAMESPACE (("" "/")) (("Other Users/" "/")) (("Public/" "/"))',
      '% OK done',
    ],
    LIST: () => [
      ...folder('\\All', 'All Mail'),
      ...folder('\\Noselect', 'Empty'),
      ...folder('', 'Empty/Inner'),
      ...folder('', 'INBOX'),
      ...folder('', 'Other Users/bob'),
      ...folder('', 'Public/news'),
      ...folder('\\Junk', 'Spam'),
      ...folder('', 'Spam/Older'),
      ...folder('', 'Zoo'),
      '% OK done',
    ],
    'UID SEARCH': () => ['* ESEARCH UID ALL 1', '% OK done'],
    'UID FETCH': () => [ANSWER, '% OK done'],
  };
  const opened = async (config: object) => {
    const fake = await openFake(script, '* OK hello');
    const credentials = {
      host: '127.0.0.1',
      port: fake.port,
      security: 'none',
      user: 'ann',
      password: 'x',
    };
    const items = await pullAll(imap, { credentials, config });
    await fake.close();
    const paths = fake.asked.flatMap((line) => /^EXAMINE "?([^"]+)"?$/.exec(line)?.[1] ?? []);
    return { items, paths: [...new Set(paths)] };
  };

  it('that collect the messages of others come last, and those of other people are left out', async () => {
    const { items, paths } = await opened({});
    assert.deepEqual(paths, ['INBOX', 'Empty/Inner', 'Zoo', 'All Mail']);
    // All of them have the same message, which is one record in the first folder.
    assert.deepEqual(
      itemsOf(items, 'stub').map(({ partition }) => partition),
      ['INBOX'],
    );
  });

  it('are read when they are chosen, whatever they are, with those below them', async () => {
    assert.deepEqual((await opened({ folders: ['Spam', 'Public', 'inbox'] })).paths, [
      'INBOX',
      'Public/news',
      'Spam',
      'Spam/Older',
    ]);
    assert.deepEqual((await opened({ folders: ['Spam/Older'] })).paths, ['Spam/Older']);
  });
});
