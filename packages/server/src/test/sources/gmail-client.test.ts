/** Tests the fake of Gmail by Google's own client: the client lists, pages and reads everything in it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { auth, type gmail_v1 } from '@googleapis/gmail';
import { must } from '../../util.ts';
import { type GmailClient, openGmailClient, partsOf, textsIn } from './gmail-client.ts';
import { type GmailCompany, openGmailCompany } from './gmail-company.ts';

const ALL = { includeSpamTrash: true };

describe('the fake of Gmail, asked by the client of Google', () => {
  let company: GmailCompany;
  let client: GmailClient;
  const words = () => [...company.expected()];
  beforeEach(async () => {
    company = await openGmailCompany({
      recordId: ({ kind, messageId, partId }) => `${kind} ${messageId} ${partId ?? ''}`,
    });
    company.acceptToken('ann');
    const one = new auth.OAuth2();
    one.setCredentials({ access_token: 'ann' });
    client = openGmailClient(company, one);
  });
  afterEach(() => company.peer.close());

  const idsOf = (rows: readonly { id?: string | null }[]) => rows.map(({ id }) => id as string);
  const search = async (q: string) => idsOf(await client.messages({ q })).toSorted();
  const having = (...labels: string[]) =>
    [...company.mine.messages.values()]
      .filter((one) => labels.every((label) => one.labels.has(label)))
      .map(({ id }) => id)
      .toSorted();
  const headersOf = ({ payload }: gmail_v1.Schema$Message) =>
    Object.fromEntries((payload?.headers ?? []).map(({ name, value }) => [name, value]));

  it('shows every word of the company in messages, files and messages in messages', async () => {
    const shown: string[] = [];
    for (const id of idsOf(await client.messages(ALL))) {
      const message = await client.message(id);
      shown.push(JSON.stringify(message), ...(await textsIn(client, message)).values());
    }
    const text = shown.join('\n');
    assert.deepEqual(
      words().filter(([, word]) => !text.includes(word)),
      [],
    );
    const kinds = new Set(words().map(([id]) => id.split(' ')[0]));
    assert.deepEqual([...kinds].toSorted(), ['attachment', 'mail', 'message', 'thread']);
    assert.doesNotMatch(text, /Nobody else/);
  });

  it('lists the newest first, by labels, and without spam and trash unless one asks', async () => {
    const [times, all] = [new Map<string, number>(), idsOf(await client.messages(ALL))];
    for (const one of company.mine.messages.values()) times.set(one.id, one.internalDate);
    const sorted = all.toSorted((a, b) => must(times.get(b)) - must(times.get(a)));
    assert.deepEqual(
      all.map((id) => times.get(id)),
      sorted.map((id) => times.get(id)),
    );
    assert.equal(new Set(all).size, company.mine.messages.size);
    const gone = [...having('SPAM'), ...having('TRASH')];
    assert.equal(gone.length, 2);
    const usual = all.filter((id) => !gone.includes(id));
    assert.deepEqual(idsOf(await client.messages()), usual);
    const { id: projects } = company.projects;
    assert.deepEqual(
      idsOf(await client.messages({ labelIds: ['INBOX', projects] })),
      having('INBOX', projects),
    );
    const { data } = await client.users.messages.list({ userId: 'me', maxResults: 2 });
    assert.deepEqual(
      [data.messages?.length, data.resultSizeEstimate, Object.keys(data.messages?.[0] ?? {})],
      [2, usual.length, ['id', 'threadId']],
    );
    const none = await client.users.messages.list({ userId: 'me', labelIds: ['CHAT'] });
    assert.deepEqual(none.data, { resultSizeEstimate: 0 });
  });

  it('searches as Gmail does', async () => {
    const { mine, projects, weir, longAgo, parent } = company;
    assert.deepEqual(await search('in:trash'), having('TRASH'));
    assert.deepEqual(await search('in:drafts'), having('DRAFT'));
    assert.deepEqual(await search('label:projects -in:inbox'), [
      ...having(projects.id).filter((id) => !having('INBOX').includes(id)),
    ]);
    assert.deepEqual(await search('label:projects-weir'), having(weir.id));
    assert.deepEqual(
      await search('{in:spam in:drafts} OR category:social'),
      [...having('SPAM'), ...having('DRAFT'), ...having('CATEGORY_SOCIAL')].toSorted(),
    );
    assert.deepEqual(await search('-in:anywhere'), []);
    const day = new Date(longAgo.internalDate + 3 * 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual(await search(`before:${day.replaceAll('-', '/')}`), [longAgo.id]);
    assert.deepEqual(
      await search(
        `after:${Math.floor(parent.internalDate / 1000)} older_than:1d is:unread -in:inbox`,
      ),
      [],
    );
    assert.deepEqual(await search('newer_than:1y from:other.example has:attachment'), []);
    assert.equal((await search('subject:(re the) from:ann')).length, 1);
    const [, word = ''] = must(words().find(([id]) => id === `message ${parent.id} `));
    assert.deepEqual(await search(`"${word}"`), [parent.id]);
    assert.equal((await search('has:attachment')).length, 4);
    assert.ok(mine.messages.size > 15);
  });

  it('shows a message in each format', async () => {
    const [id = ''] = idsOf(await client.messages({ q: 'filename:notes.md -in:drafts' })).slice(-1);
    const full = await client.message(id);
    const [minimal, raw, metadata] = await Promise.all([
      client.message(id, { format: 'minimal' }),
      client.message(id, { format: 'raw' }),
      client.message(id, { format: 'metadata', metadataHeaders: ['subject', 'From'] }),
    ]);
    const { payload, ...rest } = full;
    assert.deepEqual(minimal, rest);
    assert.deepEqual(Object.keys(headersOf(metadata)), ['Subject', 'From']);
    assert.equal(metadata.payload?.parts, undefined);
    assert.equal(payload?.mimeType, 'multipart/mixed');
    assert.deepEqual(
      partsOf(payload).map(({ partId, mimeType }) => `${partId} ${mimeType}`),
      [' multipart/mixed', '0 text/html', '1 text/markdown', '2 text/markdown'],
    );
    const sent = Buffer.from(raw.raw ?? '', 'base64url').toString();
    assert.match(sent, /^Subject: The /m);
    assert.match(sent, /Content-Disposition: attachment; filename="notes\.md"/);
    assert.equal(raw.sizeEstimate, Buffer.byteLength(sent));
    assert.equal(sent.split('--=_part_whole').length, 5);
    assert.match(full.snippet ?? '', /^Hello Bob, it is about \w+ &amp; more/);
  });

  it('shows texts in UTF-8 and headers without encoded words, or as they were sent', async () => {
    const [french = '', japanese = ''] = await Promise.all(
      ['from:cafe@other.example', 'from:sagi@other.example'].map(async (q) => (await search(q))[0]),
    );
    const bodyOf = async (id: string, charset: string) => {
      const { payload } = await client.message(id);
      return new TextDecoder(charset, { fatal: true }).decode(
        Buffer.from(payload?.body?.data ?? '', 'base64url'),
      );
    };
    assert.match(await bodyOf(french, 'utf-8'), /^Grüße aus dem Café/);
    assert.match(await bodyOf(japanese, 'utf-8'), /^堰で鷺が待つ。/);
    const shown = headersOf(await client.message(japanese));
    assert.equal(shown.From, '鷺 <sagi@other.example>');
    assert.equal(shown['Content-Type'], 'text/plain; charset="shift_jis"');
    Object.assign(company.settings, { decodesHeaders: false, decodesTexts: false });
    assert.match(await bodyOf(french, 'iso-8859-1'), /^Grüße aus dem Café/);
    assert.match(await bodyOf(japanese, 'shift_jis'), /^堰で鷺が待つ。/);
    assert.match(
      headersOf(await client.message(french)).From ?? '',
      /^=\?ISO-8859-1\?Q\?Caf=E9\?= </,
    );
    assert.match(headersOf(await client.message(japanese)).From ?? '', /^=\?UTF-8\?B\?6be6\?= </);
  });

  it('gives files by an id that is another one in each answer', async () => {
    const [id = ''] = await search('filename:notes.md in:drafts');
    const fileOf = async () => must(partsOf((await client.message(id)).payload).at(-1));
    const [one, two] = [await fileOf(), await fileOf()];
    const [first = '', second = ''] = [one, two].map(({ body }) => body?.attachmentId ?? '');
    assert.notEqual(first, second);
    assert.deepEqual([one.filename, one.partId, one.body?.data], ['notes.md', '1', undefined]);
    const bytes = await client.attachment(id, first);
    assert.match(bytes.toString(), /^# Notes\n\nThe \w+ flies\.\n$/);
    assert.deepEqual(await client.attachment(id, second), bytes);
    assert.equal(one.body?.size, bytes.length);
    const picture = company.world.add(company.mine, {
      files: [{ filename: 'p', content: Buffer.from([251, 255, 254, 62]), mimeType: 'image/x' }],
    });
    const pictureId = partsOf((await client.message(picture.id)).payload).at(-1)?.body;
    const { data } = await client.users.messages.attachments.get({
      userId: 'me',
      messageId: picture.id,
      id: pictureId?.attachmentId ?? '',
    });
    assert.deepEqual(data, { size: 4, data: '-__-Pg==' });
    company.forgetAttachments();
    await assert.rejects(client.attachment(id, first), { status: 400 });
    const [nested = ''] = await search('filename:forwarded');
    const parts = partsOf((await client.message(nested)).payload);
    assert.deepEqual(
      parts.map(({ partId, mimeType }) => `${partId} ${mimeType}`),
      [' multipart/mixed', '0 text/plain', '1 message/rfc822', '1.0 text/plain'],
    );
    const mail = await client.attachment(nested, parts[2]?.body?.attachmentId ?? '');
    assert.match(mail.toString(), /^Subject: Old news\r$/m);
    const { world, mine } = company;
    const inner = { body: { mimeType: 'multipart/mixed', parts: [{ mimeType: 'text/plain' }] } };
    const mails = [inner, inner].map((one) => ({ ...one, headers: [] }));
    const both = partsOf((await client.message(world.add(mine, { mails }).id)).payload);
    const boundaries = both.flatMap(({ headers = [] }) =>
      headers.flatMap(({ value }) => /boundary="(.+)"/.exec(value ?? '')?.[1] ?? []),
    );
    assert.deepEqual(boundaries, ['=_part_whole', '=_part_1.0', '=_part_2.0']);
    company.settings.inlineBytes = 1;
    const long = partsOf((await client.message(nested)).payload);
    assert.ok(long[1]?.body?.attachmentId !== undefined && long[1].body.data === undefined);
    assert.equal((await textsIn(client, await client.message(nested))).size, 3);
  });

  it('shows threads, labels and the profile', async () => {
    const { parent, mine, projects } = company;
    const threads = await client.threads(ALL);
    assert.equal(threads.length, mine.messages.size - 1);
    const thread = await client.thread(parent.threadId);
    assert.equal(thread.messages?.length, 2);
    assert.deepEqual(
      thread.messages?.map((one) => one.labelIds?.includes('SENT')),
      [false, true],
    );
    assert.equal(thread.historyId, thread.messages?.[1]?.historyId);
    const labels = await client.labels();
    assert.deepEqual(
      labels.filter(({ type }) => type === 'user').map(({ name }) => name),
      ['Projects', 'Projects/Weir'],
    );
    assert.equal(labels.find(({ id }) => id === 'INBOX')?.type, 'system');
    company.world.renameLabel(projects, 'Plans');
    const { name, messagesTotal, messagesUnread } = await client.label(projects.id);
    assert.deepEqual([name, messagesTotal, messagesUnread], ['Plans', 2, 0]);
    const profile = await client.profile();
    assert.deepEqual(profile, {
      emailAddress: 'ann@acme.example',
      messagesTotal: mine.messages.size,
      threadsTotal: mine.messages.size - 1,
      historyId: String(mine.historyId),
    });
    assert.ok(!Number.isSafeInteger(Number(profile.historyId)));
  });
});
