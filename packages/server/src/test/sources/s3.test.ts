/** Tests what is special about the objects of S3: keys, parts, versions, and what is left out. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { s3 } from '../../sources/catalog/s3.ts';
import type { LeftOut, SourceItem, Upsert } from '../../sources/items.ts';
import { must } from '../../util.ts';
import { contextOf, itemsOf, type PullOptions, pullAll, pullOf, testSource } from './harness.ts';
import { openS3Peer, type S3Peer } from './s3-peer.ts';
import { refused, xml } from './s3-refusal.ts';
import { KEYS } from './s3-signature.ts';
import { REGION } from './s3-world.ts';

const at = (service: S3Peer, config: object = {}) => ({
  config: { endpoint: service.peer.baseUrl, region: REGION, ...config },
  credentials: KEYS,
});

testSource(s3, async () => {
  const service = await openS3Peer();
  service.addBucket('docs', { 'a.txt': 'A', 'f/b.md': 'B', 'f/g/c.txt': 'C', 'z.txt': 'Z' });
  service.addBucket('far').region = 'us-west-2';
  service.addBucket('closed').allowed = ['team/'];
  const { config } = at(service, { buckets: ['docs'] });
  return {
    config,
    credentials: KEYS,
    close: () => service.peer.close(),
    wrong: [
      {
        name: 'an unknown key',
        kind: 'auth',
        says: /403 InvalidAccessKeyId/,
        credentials: { ...KEYS, access_key_id: 'AKIDOTHER' },
      },
      {
        name: 'a wrong secret',
        kind: 'auth',
        says: /403 SignatureDoesNotMatch/,
        credentials: { ...KEYS, secret_access_key: 'wrong-secret-0815' },
      },
      {
        name: 'a missing token',
        kind: 'auth',
        says: /400 InvalidToken/,
        credentials: { ...KEYS, session_token: undefined },
      },
      {
        name: 'another region of the service',
        kind: 'config',
        says: /AuthorizationHeaderMalformed/,
        config: { ...config, region: 'eu-west-9' },
      },
      {
        name: 'a bucket in another region',
        kind: 'config',
        says: /301 PermanentRedirect/,
        config: { ...config, buckets: ['docs', 'far'] },
      },
      {
        name: 'an unknown bucket',
        kind: 'config',
        says: /the bucket 'nope' cannot be listed: .*404 NoSuchBucket/,
        config: { ...config, buckets: ['docs', 'nope'] },
      },
      {
        name: 'a bucket that may not be listed',
        kind: 'config',
        says: /the bucket 'closed' cannot be listed: .*403: no: AccessDenied/,
        config: { ...config, buckets: ['closed'] },
      },
      {
        name: 'a prefix that may not be listed',
        kind: 'config',
        says: /the bucket 'closed' cannot be listed below 'other\/'/,
        config: { ...config, buckets: ['closed'], prefixes: ['team/x', 'other/'] },
      },
    ],
  };
});

describe('the source s3', () => {
  let service: S3Peer;
  beforeEach(async () => {
    service = await openS3Peer();
  });
  afterEach(() => service.peer.close());

  const pull = (config: object = {}, options: PullOptions = {}) =>
    pullAll(s3, at(service, config), options);
  async function hydrate(items: readonly SourceItem[], config: object = {}) {
    const found: (Upsert | LeftOut)[] = [];
    for await (const item of s3.hydrate!(
      contextOf(s3, at(service, config)),
      itemsOf(items, 'stub'),
    ))
      found.push(item);
    return found.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  }
  const idOf = (item: Upsert | LeftOut) => (item.kind === 'upsert' ? item.entity.id : item.id);
  const contentOf = (item: SourceItem | undefined) =>
    item?.kind === 'upsert' ? readFileSync(must(item.entity.file).path, 'utf8') : undefined;
  const keysOf = (items: readonly SourceItem[]) => itemsOf(items, 'stub').map(({ id }) => id);
  const asked = () => service.peer.requests.map(({ url }) => url.pathname + url.search);

  it('reads keys with any characters, and tells apart those that differ little', async () => {
    const odd = [
      'Case.txt',
      'case.txt',
      '/lead.txt',
      'a//b.txt',
      'a/b.txt',
      'x+y z.txt',
      'x y z.txt',
    ];
    const marks = ["q'(1)*!.txt", 'pct%20.txt', 'e?f#g.txt', 'a&b<c>"d".txt', 'back\\slash.txt'];
    const other = ['line\nbreak\r.txt', 'tab\t.txt', '\u0001.txt', 'ü ☃ 😀.txt', 'u\u0308.txt'];
    const keys = [...odd, ...marks, ...other, ' ', '~-_.', `${'k'.repeat(1020)}.txt`];
    service.addBucket('docs', Object.fromEntries(keys.map((key) => [key, `In ${key}`])));
    const items = await pull();
    const read = await hydrate(items);
    assert.deepEqual(keysOf(items).toSorted(), keys.map((key) => `docs/${key}`).toSorted());
    for (const item of read) assert.equal(`In ${idOf(item).slice(5)}`, contentOf(item));
  });

  it('says where an object lies', async () => {
    service.addBucket('docs', { 'a//b/c.txt': 'x' });
    const [item] = await hydrate(await pull());
    assert.ok(item?.kind === 'upsert');
    const { name, context, fields, breadcrumbs, url, updatedAt } = item.entity;
    assert.deepEqual(
      { name, context, fields, breadcrumbs, url, updatedAt },
      {
        name: 'c.txt',
        context: 'a//b/c.txt',
        fields: { bucket: 'docs', key: 'a//b/c.txt', size: 1 },
        breadcrumbs: [
          { id: 'docs', name: 'docs', type: 'S3Bucket' },
          { id: 'docs/a/', name: 'a', type: 'S3Folder' },
          { id: 'docs/a//', name: '/', type: 'S3Folder' },
          { id: 'docs/a//b/', name: 'b', type: 'S3Folder' },
        ],
        url: `${service.peer.baseUrl}/docs/a//b/c.txt`,
        updatedAt: new Date('2026-03-01T08:00:00Z'),
      },
    );
  });

  it('[CON-41] leaves out what it cannot or must not read, and asks for none of it that the listing tells', async () => {
    const bucket = service.addBucket('docs', {
      'folder/': '',
      'folder/.env': 'x',
      'node_modules/a/1.js': 'x',
      'node_modules/b/2.js': 'x',
      'node_modules2/3.txt': 'x',
      'photo.JPG': 'x',
      'a/../b.txt': 'x',
      'named/': 'has content',
      'empty.txt': '',
    });
    service.put(bucket, 'cold.txt', 'x', { storageClass: 'GLACIER' });
    service.put(bucket, 'colder.txt', 'x', { storageClass: 'DEEP_ARCHIVE' });
    service.put(bucket, 'tiered.txt', 'x', { storageClass: 'ARCHIVE_ACCESS' });
    service.put(bucket, 'sealed.txt', 'x', { isSealed: true });
    service.put(bucket, 'new.txt', 'x', { storageClass: 'ICE_OF_2030' });
    service.put(bucket, 'large.txt', 'x'.repeat(21 * 2 ** 20));
    const items = await pull();
    const from = service.peer.requests.length;
    const read = await hydrate(items);
    const left = [...itemsOf(items, 'skip'), ...itemsOf(read, 'skip')].map(
      ({ id, reason }) => `${id.slice(5)} ${reason}`,
    );
    assert.deepEqual(left.toSorted(), [
      'a/../b.txt with . or .. as a folder',
      'cold.txt archived',
      'colder.txt archived',
      'folder/.env left out as secrets',
      'large.txt too large',
      'node_modules/ left out as dependencies',
      'photo.JPG of a kind without text',
      'sealed.txt encrypted with a key of their owner',
      'tiered.txt archived',
    ]);
    assert.deepEqual(
      itemsOf(read, 'upsert').map(({ entity }) => entity.fields.key),
      ['empty.txt', 'named/', 'new.txt', 'node_modules2/3.txt'],
    );
    assert.deepEqual(asked().slice(from).toSorted(), [
      '/docs/empty.txt',
      '/docs/named/',
      '/docs/new.txt',
      '/docs/node_modules2/3.txt',
      '/docs/sealed.txt',
      '/docs/tiered.txt',
    ]);
  });

  it('asks for the next page only when the page before it is used, and goes on at a bookmark', async () => {
    const keys = Array.from({ length: 10 }, (_, i) => `${i}.txt`);
    service.addBucket('a', { 'first.txt': 'x' });
    service.addBucket('docs', Object.fromEntries(keys.map((key) => [key, 'x'])));
    service.addBucket('old', { '0.txt': 'x' });
    const seen: SourceItem[] = [];
    for await (const item of pullOf(s3, at(service))) {
      seen.push(item);
      const used = itemsOf(seen, 'stub').length - 1;
      const pages = asked().filter((path) => path.startsWith('/docs')).length;
      assert.ok(
        pages <= Math.max(0, Math.ceil(used / 3)) + 1,
        `${pages} pages for ${used} objects`,
      );
    }
    const marks = itemsOf(seen, 'bookmark').map(({ position }) => position);
    assert.deepEqual(marks, [
      { part: 'docs', after: '2.txt' },
      { part: 'docs', after: '5.txt' },
      { part: 'docs', after: '8.txt' },
    ]);
    service.forgetTokens();
    const from = service.peer.requests.length;
    assert.deepEqual(
      (await pull({}, { bookmark: marks[1] })).map((item) =>
        item.kind === 'stub' ? item.id : item,
      ),
      [
        ...['docs/6.txt', 'docs/7.txt', 'docs/8.txt'],
        { kind: 'bookmark', position: marks[2] },
        ...['docs/9.txt', { kind: 'listed', partition: 'docs' }],
        ...['old/0.txt', { kind: 'listed', partition: 'old' }],
      ],
    );
    assert.match(must(asked().at(from + 1)), /start-after=5\.txt$/);
  });

  it('gives an object a new version with new content, and not with the same content again', async () => {
    const bucket = service.addBucket('docs', { 'a.txt': 'one', 'b.txt': 'two' });
    const versions = async () => itemsOf(await pull(), 'stub').map(({ version }) => version);
    const [a, b] = await versions();
    assert.match(must(a), /^"\w{32}" 3$/);
    service.put(bucket, 'a.txt', 'new');
    service.put(bucket, 'b.txt', 'two');
    const [a2, b2] = await versions();
    assert.notEqual(a2, a);
    assert.equal(b2, b);
  });

  it('stores the content that belongs to the version when an object changes after it was listed', async () => {
    const bucket = service.addBucket('docs', {
      'a.txt': 'one',
      'ab.txt': 'x',
      'gone.txt': 'x',
    });
    const items = await pull();
    service.put(bucket, 'a.txt', 'later');
    bucket.objects.delete('gone.txt');
    const [a, , gone] = await hydrate(items);
    assert.ok(a?.kind === 'upsert');
    assert.equal(contentOf(a), 'later');
    const [again] = itemsOf(await pull(), 'stub');
    assert.deepEqual([a.version, a.entity.fields.size], [again?.version, 5]);
    assert.deepEqual(
      [gone?.kind, gone?.kind === 'skip' && gone.reason],
      ['skip', 'deleted while they were read'],
    );

    service.put(bucket, 'a.txt', 'third');
    bucket.objects.delete('ab.txt');
    service.peer.fault = ({ url }) => {
      // The object changes again before each answer, and never has the listed content.
      if (url.pathname === '/docs/a.txt') service.put(bucket, 'a.txt', `x${Math.random()}`);
      return undefined;
    };
    const [never] = await hydrate(await pull());
    assert.ok(never?.kind === 'fail' && /changed while it was read/.test(never.reason));

    service.put(bucket, 'a.txt2', 'x');
    service.peer.fault = ({ url }) => {
      if (url.pathname !== '/docs/a.txt') return undefined;
      bucket.objects.delete('a.txt');
      return refused(412, 'PreconditionFailed');
    };
    const kinds = (await hydrate(await pull())).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['skip', 'upsert']);
  });

  it('reads objects whose listed ETag is not the one that the service compares', async () => {
    const bucket = service.addBucket('docs');
    service.put(bucket, 'a.txt', 'one', { listedEtag: 'other-1' });
    const [item] = await hydrate(await pull());
    assert.equal(contentOf(item), 'one');
    assert.ok(item?.kind === 'upsert');
    assert.equal(item.version, '"other-1" 3');
  });

  it('reads only what is below the prefixes, each as a part of its own', async () => {
    const bucket = service.addBucket('docs', {
      ...{ 'a/1.txt': 'x', 'a/b/2.txt': 'x', 'ab.txt': 'x', 'c/3.txt': 'x', 'd 1/4.txt': 'x' },
    });
    const prefixes = ['a/b/', 'd 1/', 'a/', 'c/', 'a/'];
    const items = await pull({ prefixes });
    assert.deepEqual(keysOf(items), [
      'docs/a/1.txt',
      'docs/a/b/2.txt',
      'docs/c/3.txt',
      'docs/d 1/4.txt',
    ]);
    const parts = ['docs/a%2F', 'docs/c%2F', 'docs/d%201%2F'];
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      parts,
    );

    bucket.allowed = ['a/', 'd 1/'];
    const restricted = await pull({ prefixes });
    assert.deepEqual(
      itemsOf(restricted, 'listed').map(({ partition }) => partition),
      [parts[0], parts[2]],
    );
    const [lost] = itemsOf(restricted, 'lost');
    assert.deepEqual([lost?.partition, lost?.error.kind], [parts[1], 'skip']);
    assert.match(must(lost).error.message, /403: no: AccessDenied/);
  });

  it('leaves out a bucket of another region that nobody has named, and refuses one that is named', async () => {
    service.addBucket('a', { '1.txt': 'x' }).region = 'us-west-2';
    service.addBucket('docs', { '2.txt': 'x' });
    const items = await pull();
    assert.deepEqual(keysOf(items), ['docs/2.txt']);
    const [lost] = itemsOf(items, 'lost');
    assert.deepEqual([lost?.partition, lost?.error.hint], ['a', "Set the region to 'us-west-2'."]);
    await assert.rejects(pull({ buckets: ['a', 'docs'] }), { kind: 'config' });
  });

  it('keeps the records of a named bucket that no longer exists', async () => {
    service.addBucket('docs', { '2.txt': 'x' });
    const items = await pull({ buckets: ['a', 'docs'] });
    assert.deepEqual(
      itemsOf(items, 'lost').map(({ partition }) => partition),
      ['a'],
    );
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      ['docs'],
    );
  });

  it('offers the buckets, and the folders at their top', async () => {
    service.addBucket('docs', { 'a/1.txt': 'x', 'b c/d/2.txt': 'x', 'e.txt': 'x', 'f/3.txt': 'x' });
    service.addBucket('old', { 'o/1.txt': 'x' });
    const options = (field: string, config: object = {}, limit = 200) =>
      s3.options!(contextOf(s3, at(service, config)), { field, query: '', limit });
    assert.deepEqual(await options('buckets'), [
      { value: 'docs', title: 'docs' },
      { value: 'old', title: 'old' },
    ]);
    const folders = (found: readonly { value: string; description?: string | undefined }[]) =>
      found.map(({ value, description }) => `${value} ${description}`);
    assert.deepEqual(folders(await options('prefixes')), [
      ...['a/ in docs', 'b c/ in docs', 'f/ in docs', 'o/ in old'],
    ]);
    assert.deepEqual(folders(await options('prefixes', { buckets: ['old'] })), ['o/ in old']);
    assert.equal((await options('prefixes', {}, 2)).length, 2);
  });

  it('finds a folder by a part of its name however many folders come before it', async () => {
    const names = ['a/1', 'b/1', 'c/1', 'c/deep/1', 'd/1', 'The News/1'];
    service.addBucket('docs', Object.fromEntries(names.map((name) => [`${name}.txt`, 'x'])));
    service.addBucket('old', { 'o/1.txt': 'x' });
    const found = async (query: string, limit = 1) => {
      const request = { field: 'prefixes', query, limit };
      const options = await s3.options!(contextOf(s3, at(service)), request);
      return options.map(({ value }) => value);
    };
    assert.deepEqual(await found('d/'), ['d/']);
    assert.deepEqual(await found('news'), ['The News/']);
    assert.deepEqual(await found('IN OLD'), ['o/']);
    assert.deepEqual(await found('c/d'), ['c/deep/']);
    assert.deepEqual(await found('b/', 9), ['b/']);
    assert.deepEqual(await found('\udc00'), []);
  });

  it('offers the folders of the first pages when a bucket has many', async () => {
    const many = Array.from({ length: 200 }, (_, i) => [`f${i + 1000}/x.txt`, 'x'] as const);
    service.addBucket('docs', Object.fromEntries(many));
    const asked = async (query: string) => {
      const from = service.peer.requests.length;
      const request = { field: 'prefixes', query, limit: 200 };
      const options = await s3.options!(contextOf(s3, at(service)), request);
      const requests = service.peer.requests.length - from;
      return { options: options.map(({ value }) => value), requests };
    };
    const all = await asked('');
    assert.ok(all.options.length > 20 && all.options.length < 200, `${all.options.length}`);
    const last = await asked('f1199');
    assert.deepEqual(last.options, ['f1199/']);
    assert.ok(Math.max(all.requests, last.requests) < 30, `${all.requests} ${last.requests}`);
  });

  it('reads the list of buckets to its end, whose pages are bounded', async (t) => {
    const large = await openS3Peer({ bucketPage: 2 });
    t.after(() => large.peer.close());
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) large.addBucket(name, { 'x.txt': name });
    const settings = at(large);
    const context = contextOf(s3, settings);
    const options = await s3.options!(context, { field: 'buckets', query: '', limit: 200 });
    assert.deepEqual(
      options.map(({ value }) => value),
      names,
    );
    const items = await pullAll(s3, settings);
    assert.deepEqual(
      itemsOf(items, 'listed').map(({ partition }) => partition),
      names,
    );
    assert.equal(await s3.account!(context), `acme at ${new URL(large.peer.baseUrl).host}`);
    let page = 0;
    const answerWith = (token: () => string) => {
      large.peer.fault = () =>
        xml(
          200,
          `<ListAllMyBucketsResult><Buckets/><ContinuationToken>${token()}</ContinuationToken></ListAllMyBucketsResult>`,
        );
    };
    answerWith(() => 'again');
    await assert.rejects(pullAll(s3, settings), { kind: 'fatal', message: /in circles/ });
    answerWith(() => `${page++}`);
    await assert.rejects(pullAll(s3, settings), { kind: 'fatal', message: /too many pages/ });
    assert.ok(page <= 1001, `${page} pages were read`);
  });
});
