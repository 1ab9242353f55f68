/** Tests how the source S3 finds its service, and what it makes of wrong settings, refusals and answers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SourceError, type SourceErrorKind } from '../../errors.ts';
import { createSend } from '../../net/guarded-send.ts';
import { s3 } from '../../sources/catalog/s3.ts';
import { checkSettings, type SourceEnvironment } from '../../sources/define.ts';
import type { LeftOut, SourceItem, Upsert } from '../../sources/items.ts';
import { S3Config } from '../../sources/s3/config.ts';
import { createSourceEnvironment } from '../../sources/source-environment.ts';
import { must } from '../../util.ts';
import { anywhere, NO_DATA_DIR } from '../environment.ts';
import { skipWaits } from '../skip-waits.ts';
import type { PeerAnswer } from './cloud-peer.ts';
import { contextOf, itemsOf, type PullOptions, pullAll } from './harness.ts';
import { openS3Peer, type S3Peer } from './s3-peer.ts';
import { refused } from './s3-refusal.ts';
import { KEYS } from './s3-signature.ts';
import { REGION } from './s3-world.ts';

const at = (service: S3Peer, config: object = {}) => ({
  config: { endpoint: service.peer.baseUrl, region: REGION, ...config },
  credentials: KEYS,
});

describe('the service of s3', () => {
  let service: S3Peer;
  beforeEach(async () => {
    service = await openS3Peer();
  });
  afterEach(() => service.peer.close());

  const pull = (config: object = {}, options: PullOptions = {}) =>
    pullAll(s3, at(service, config), options);
  const contentOf = (item: SourceItem | undefined) =>
    item?.kind === 'upsert' ? readFileSync(must(item.entity.file).path, 'utf8') : undefined;
  const keysOf = (items: readonly SourceItem[]) => itemsOf(items, 'stub').map(({ id }) => id);

  it('names the account, also when the key may not list buckets', async () => {
    const host = new URL(service.peer.baseUrl).host;
    service.addBucket('docs');
    const account = (config: object = {}) => s3.account!(contextOf(s3, at(service, config)));
    assert.equal(await account(), `acme at ${host}`);
    service.peer.fault = ({ url }) =>
      url.pathname === '/' ? refused(403, 'AccessDenied') : undefined;
    assert.equal(await account({ buckets: ['docs'] }), `the bucket docs at ${host}`);
    await checkSettings(s3, contextOf(s3, at(service, { buckets: ['docs'] })));
    await assert.rejects(account(), { kind: 'config', hint: /Name them in the setting buckets/ });
    service.peer.fault = () => undefined;
    service.buckets.clear();
    await assert.rejects(checkSettings(s3, contextOf(s3, at(service))), {
      kind: 'config',
      message: 'the service shows no bucket to this key',
    });
  });

  it('asks buckets at hosts of their own, and sends its credentials to no other host', async () => {
    service.addBucket('docs', { '/a b.txt': 'one', 'f/2.txt': 'two', '3.txt': 'x', '4.txt': 'x' });
    const environment: SourceEnvironment = {
      ...anywhere,
      send: createSend(async () => '127.0.0.1'),
    };
    const { port } = new URL(service.peer.baseUrl);
    const config = { endpoint: `http://localhost:${port}`, region: REGION, addressing: 'virtual' };
    const settings = { config: { ...config, buckets: ['docs'] }, credentials: KEYS };
    const context = contextOf(s3, settings, { environment });
    await checkSettings(s3, context);
    const items: SourceItem[] = [];
    for await (const item of s3.pull!(context)) items.push(item);
    const read: (Upsert | LeftOut)[] = [];
    for await (const item of s3.hydrate!(context, itemsOf(items, 'stub'))) read.push(item);
    assert.deepEqual(read.map(contentOf).toSorted(), ['one', 'two', 'x', 'x']);
    const hosts = new Set(service.peer.requests.map(({ url }) => url.host));
    assert.deepEqual([...hosts], [`localhost:${port}`, `docs.localhost:${port}`]);
  });

  it('[GEN-34] [GEN-36] reaches only endpoints to which a tenant may send', async () => {
    const refuses = createSourceEnvironment({
      singleUser: false,
      QUARRY_DATA_DIR: NO_DATA_DIR,
      QUARRY_SOURCE_NETWORKS: [],
      QUARRY_FILES_ROOTS: [],
      QUARRY_ALLOW_LOOPBACK: false,
    });
    const check = (config: object) =>
      checkSettings(s3, contextOf(s3, { config, credentials: KEYS }, { environment: refuses }));
    for (const endpoint of [
      service.peer.baseUrl,
      'https://10.0.0.7:9000',
      'https://169.254.169.254',
    ])
      await assert.rejects(check({ endpoint }), {
        kind: 'config',
        message: /not at a public address/,
      });
    assert.equal(service.peer.requests.length, 0);
  });

  it('refuses settings from which no right address can be made', () => {
    const faults = (config: object) =>
      S3Config.safeParse(config).error?.issues.map(({ path }) => path.join('.')) ?? [];
    const virtual = { addressing: 'virtual' };
    for (const right of [{}, { region: 'auto' }, { ...virtual, buckets: ['my-bucket.1'] }])
      assert.deepEqual(faults(right), [], JSON.stringify(right));
    for (const [wrong, where] of [
      [{ endpoint: 'http://s3.example.com' }, 'endpoint'],
      [{ endpoint: 'https://key:secret@s3.example.com' }, 'endpoint'],
      [{ endpoint: 'https://s3.example.com/?x=1' }, 'endpoint'],
      [{ region: 'evil.example.com/' }, 'region'],
      [{ buckets: [] }, 'buckets'],
      [{ buckets: ['a/b'] }, 'buckets.0'],
      [{ buckets: ['..'] }, 'buckets.0'],
      [{ buckets: ['a\ud800'] }, 'buckets.0'],
      [{ prefixes: [''] }, 'prefixes.0'],
      [{ prefixes: ['\udc00'] }, 'prefixes.0'],
      [{ bucket: 'a' }, ''],
      [virtual, 'buckets'],
      [{ ...virtual, buckets: ['a', 'evil.example.com:1@'] }, 'buckets'],
      [{ ...virtual, buckets: ['Upper'] }, 'buckets'],
      [{ ...virtual, endpoint: 'https://127.0.0.1', buckets: ['a'] }, 'buckets'],
    ] as const)
      assert.deepEqual(faults(wrong), [where], JSON.stringify(wrong));
  });

  it('understands the refusals of services', async (t) => {
    t.after(skipWaits(100).restore);
    service.addBucket('docs', { 'a.txt': 'x' });
    const region = (name: string) => ({ more: `<Region>${name}</Region>` });
    const html: PeerAnswer = { status: 403, body: '<html><body>Forbidden</body></html>' };
    const cases: [PeerAnswer, SourceErrorKind, (RegExp | undefined)?, number?][] = [
      [refused(403, 'SignatureDoesNotMatch'), 'auth'],
      [refused(400, 'ExpiredToken'), 'auth', /temporary/i],
      [refused(401, 'Unauthorized'), 'auth'],
      [refused(400, 'AuthorizationHeaderMalformed'), 'auth'],
      [
        refused(400, 'InvalidArgument', { message: 'Credential access key has length 20' }),
        'auth',
        /belong to this service/,
      ],
      [refused(400, 'AuthorizationHeaderMalformed', region('eu-2')), 'config', /'eu-2'/],
      [refused(307, 'TemporaryRedirect'), 'config', /the region of the bucket/],
      [refused(403, 'RequestTimeTooSkewed'), 'fatal', /clock of this machine/],
      [refused(503, 'SlowDown'), 'rate_limited', undefined, 5],
      [
        refused(503, 'SlowDown', { headers: { 'retry-after': '70' } }),
        'rate_limited',
        undefined,
        70,
      ],
      [refused(429, 'Whatever'), 'rate_limited', undefined, 5],
      [refused(503, 'ServiceUnavailable'), 'transient'],
      [
        refused(503, 'ServiceUnavailable', { headers: { 'retry-after': '70' } }),
        'rate_limited',
        undefined,
        70,
      ],
      [refused(400, 'RequestTimeout'), 'transient'],
      [refused(500, 'InternalError'), 'transient'],
      [refused(400, 'InvalidArgument', { message: 'wrong continuation token' }), 'outdated'],
      [refused(400, 'MalformedPolicy'), 'fatal'],
      [refused(400, 'InvalidRequest'), 'skip'],
      [refused(400, 'KMS.DisabledException'), 'skip'],
      [html, 'skip'],
    ];
    for (const [answer, kind, hint, retryAfter] of cases) {
      service.peer.fault = ({ url }) => (url.pathname === '/' ? answer : undefined);
      const what = String(answer.body);
      const error = await pull().catch((thrown: unknown) => thrown);
      assert.ok(error instanceof SourceError, what);
      assert.deepEqual([error.kind, error.retryAfter], [kind, retryAfter], what);
      if (hint) assert.match(error.hint ?? '', hint, what);
    }
  });

  it('takes no answer for a listing that is not the whole listing that was asked for', async (t) => {
    t.after(skipWaits(100).restore);
    service.addBucket('docs', { 'a.txt': 'x' });
    const page = (inside: string): PeerAnswer => ({
      status: 200,
      body: `<?xml version="1.0"?><ListBucketResult>${inside}</ListBucketResult>`,
    });
    const last = '<IsTruncated>false</IsTruncated>';
    const one = '<Contents><Key>f/a</Key></Contents>';
    const wrong: [PeerAnswer, SourceErrorKind][] = [
      [page(`${last}<Prefix>g/</Prefix>`), 'transient'],
      [page(`${last}<Contents><Key>g/a</Key></Contents>`), 'transient'],
      [page(`${last}<KeyCount>3</KeyCount>`), 'transient'],
      [page(`<IsTruncated>true</IsTruncated>${one}`), 'transient'],
      [page(`<IsTruncated>maybe</IsTruncated>${one}`), 'fatal'],
      [page(one), 'fatal'],
      [page(`${last}<Contents><Size>1</Size></Contents>`), 'fatal'],
      [
        page(`${last}<EncodingType>url</EncodingType><Contents><Key>f/%FF</Key></Contents>`),
        'fatal',
      ],
      [{ status: 200, body: `<ListBucketResult>${last}${one}` }, 'transient'],
      [{ status: 200, body: '<html><body>Sign in to the Wi-Fi</body></html>' }, 'fatal'],
      [{ status: 200, body: '' }, 'transient'],
      [
        page(`<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>`),
        'fatal',
      ],
    ];
    const config = { buckets: ['docs'], prefixes: ['f/'] };
    for (const [answer, kind] of wrong) {
      service.peer.fault = () => answer;
      await assert.rejects(pull(config), { kind }, String(answer.body));
    }
    // These are odd, but nothing is missing.
    for (const right of [
      page(last),
      page(`${last}<KeyCount>7</KeyCount>${one}`),
      page(`${last}<Prefix>f/</Prefix><Contents><Key>f/a</Key><Size>many</Size><ETag/></Contents>`),
    ]) {
      service.peer.fault = () => right;
      assert.equal(itemsOf(await pull(config), 'listed').length, 1, String(right.body));
    }
    service.peer.fault = () => page(`${last}<Contents><Key>f/ü&amp;+ b%20</Key></Contents>`);
    assert.deepEqual(keysOf(await pull(config)), ['docs/f/ü&+ b%20'], 'the keys are not encoded');
  });
});
