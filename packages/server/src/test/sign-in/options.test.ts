/** Tests, through the whole service, the values that a source proposes for fields of its configuration. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { secret } from '../../sources/define.ts';
import { listed } from '../../sources/items.ts';
import { cloudSource } from '../../sources/kit/cloud-source.ts';
import { bearer } from '../../sources/kit/sign.ts';
import { must, newId } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type CloudPeer, json, openCloudPeer } from '../sources/cloud-peer.ts';
import { openSignInHouse, type SignInHouse } from './house.ts';

const KEY = 'planted-key-of-the-shelves';
const meta = (title: string) => ({ title, description: `About ${title}` });

/**
 * A source with a required field and a list, which have options; two fields without options; and a rule that combines
 * two fields.
 */
const shelves = (baseUrl: string) =>
  cloudSource({
    shortName: 'shelves',
    name: 'Shelves',
    description: 'Books on shelves.',
    labels: ['Test'],
    auth: {
      direct: {
        fields: z.object({ key: secret('Key', 'Of the library') }),
        sign: { headers: ({ key }) => bearer(key) },
      },
    },
    api: { baseUrl },
    config: z
      .strictObject({
        site: z.string().min(2).meta(meta('Site')),
        room: z
          .string()
          .min(1)
          .meta({ ...meta('Room'), options: true }),
        shelves: z
          .array(z.string())
          .min(1)
          .optional()
          .meta({ ...meta('Shelves'), options: true }),
        depth: z.int().default(7).meta(meta('Depth')),
      })
      .refine(({ room, shelves }) => !shelves?.includes(room), 'a room is not a shelf'),
    entities: {},
    evidence: [],
    rateLimitLevel: 'org',
    account: async ({ http }) =>
      (await http.json({ path: 'me' }, z.object({ name: z.string() }))).value.name,
    async *pull() {
      yield listed('');
    },
    async options({ http, config }, request) {
      const { value } = await http.json(
        { path: request.field, query: { ...config, limit: request.limit } },
        z.array(z.object({ id: z.string(), name: z.string(), about: z.string().optional() })),
      );
      return value.map(({ id, name, about }) => ({ value: id, title: name, description: about }));
    },
  });

const [sqlite] = DATABASES;

describe('the options of a field', () => {
  let quarry: TestQuarry;
  let peer: CloudPeer;
  let rooms: object[];
  let connection: string;
  const logged: string[] = [];
  before(async () => {
    peer = await openCloudPeer(({ url, headers }) => {
      if (headers.authorization !== `Bearer ${KEY}`)
        return json(401, { message: `no entry with ${headers.authorization}` });
      return json(200, url.pathname === '/me' ? { name: 'ann' } : rooms);
    });
    const limited = { ...shelves(peer.baseUrl), shortName: 'limited' };
    const sources = [shelves(peer.baseUrl), limited];
    quarry = await openTestQuarry(await must(sqlite).open(), {
      sources: new Map(sources.map((source) => [source.shortName, source])),
      env: { QUARRY_ALLOW_LOOPBACK: 'true' },
      log: pino({ level: 'debug' }, { write: (line) => logged.push(line) }),
    });
    await quarry.ok('PUT', '/v1/source-rate-limits/limited', { limit: 1, window_seconds: 3600 });
    await quarry.ok('POST', '/v1/collections', { name: 'Books', readable_id: 'books' });
    connection = await connect('shelves');
  });
  after(async () => {
    await quarry.close();
    await peer.close();
    assert.doesNotMatch(logged.join(''), new RegExp(KEY));
  });
  beforeEach(() => {
    rooms = [
      { id: 'r1', name: 'Heron', about: 'By the weir' },
      { id: 'r2', name: 'Kingfisher' },
      { id: 'WEIR-3', name: 'Otter' },
    ];
    peer.fault = () => undefined;
    peer.requests.splice(0);
  });

  const connect = async (short_name: string): Promise<string> =>
    (
      await quarry.ok('POST', '/v1/source-connections', {
        name: 'My books',
        short_name,
        readable_collection_id: 'books',
        sync_immediately: false,
        authentication: { credentials: { key: KEY } },
        config: { site: 'north', room: 'r1' },
      })
    ).id;
  const credentials = { key: KEY };
  const config = { site: 'north' };
  const ask = (body: object, source = 'shelves', headers?: Record<string, string>) =>
    quarry.call('POST', `/v1/sources/${source}/options`, { field: 'room', ...body }, headers);
  const keyOf = async (body: object) => {
    const made = await quarry.ok('POST', '/v1/api-keys', { name: 'asks', ...body });
    return { authorization: `Bearer ${made.key}` };
  };
  const refusalOf = async (body: object, source?: string) => {
    const answer = await ask(body, source);
    const { code, detail } = answer.body;
    const [fault] = Array.isArray(detail) ? detail : [{ msg: detail }];
    return [answer.status, code, fault.loc?.join('.'), fault.msg];
  };

  it('[AUTH-38] come from the source, with credentials that are not stored', async () => {
    const { status, body } = await ask({ credentials, config });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, [
      { value: 'r1', title: 'Heron', description: 'By the weir' },
      { value: 'r2', title: 'Kingfisher', description: null },
      { value: 'WEIR-3', title: 'Otter', description: null },
    ]);
    const [{ url } = assert.fail(), ...more] = peer.requests;
    assert.equal(more.length, 0);
    assert.equal(`${url.pathname}${url.search}`, '/room?site=north&depth=7&limit=200');
    const stored = await quarry.db.selectFrom('connections').select('id').execute();
    assert.deepEqual(
      stored.map(({ id }) => id),
      [connection],
    );
  });

  it('[AUTH-38] are announced in the catalog', async () => {
    const { config_fields } = await quarry.ok('GET', '/v1/sources/shelves');
    assert.deepEqual(
      config_fields.fields.map((field: { name: string; has_options?: boolean }) => [
        field.name,
        field.has_options,
      ]),
      [
        ['site', undefined],
        ['room', true],
        ['shelves', true],
        ['depth', undefined],
      ],
    );
  });

  it('[AUTH-38] come for a connection with its stored credentials, and with its stored settings or with given ones', async () => {
    const stored = await ask({ source_connection_id: connection, field: 'shelves' });
    assert.equal(stored.status, 200);
    assert.equal(stored.body.length, 3);
    const other = { source_connection_id: connection, field: 'shelves', config: { site: 'south' } };
    assert.equal((await ask(other)).status, 200);
    assert.deepEqual(
      peer.requests.map(({ url, headers }) => [url.search, headers.authorization]),
      [
        ['?site=north&room=r1&depth=7&limit=200', `Bearer ${KEY}`],
        ['?site=south&depth=7&limit=200', `Bearer ${KEY}`],
      ],
    );
  });

  it('are filtered by a query on value, title and description, in upper or lower case', async () => {
    const found = async (query: string) =>
      (await ask({ credentials, config, query })).body.map(({ value }: { value: string }) => value);
    assert.deepEqual(await found('weir'), ['r1', 'WEIR-3']);
    assert.deepEqual(await found('FISHER'), ['r2']);
    assert.deepEqual(await found('swan'), []);
    const long = await ask({ credentials, config, query: 'q'.repeat(256) });
    assert.equal(long.status, 422);
  });

  it('are at most 200, and a query finds those beyond the first 200', async () => {
    rooms = Array.from({ length: 250 }, (_, i) => ({ id: `room-${i}`, name: `Room ${i}` }));
    const all = (await ask({ credentials, config })).body;
    assert.deepEqual([all.length, all[0].value, all[199].value], [200, 'room-0', 'room-199']);
    const [late] = (await ask({ credentials, config, query: 'room-249' })).body;
    assert.equal(late.value, 'room-249');
  });

  it('need valid other settings; fields with options may be missing, and the requested field is not checked', async () => {
    const at = async (given: object) =>
      (await refusalOf({ credentials, config: given })).slice(0, 3);
    assert.deepEqual(await at({}), [422, 'invalid', 'body.config.site']);
    assert.deepEqual(await at({ site: 'x' }), [422, 'invalid', 'body.config.site']);
    assert.deepEqual(await at({ ...config, depth: 'deep' }), [422, 'invalid', 'body.config.depth']);
    assert.deepEqual(await at({ ...config, shelves: [] }), [422, 'invalid', 'body.config.shelves']);
    assert.deepEqual(await at({ ...config, hue: 1 }), [422, 'invalid', 'body.config.hue']);
    assert.equal(peer.requests.length, 0);
    const unfinished = { ...config, room: 5, shelves: ['r1'] };
    assert.equal((await ask({ credentials, config: unfinished })).status, 200);
    const broken = { ...config, room: 'r1', shelves: ['r1'] };
    assert.equal((await ask({ credentials, field: 'shelves', config: broken })).status, 200);
  });

  it('[AUTH-38] are refused for a field without options, with the names of the fields that have some', async () => {
    const loc = 'body.field';
    const others = 'these fields of shelves have options: room, shelves';
    for (const field of ['site', 'roof', 'toString', '__proto__'])
      assert.deepEqual(await refusalOf({ credentials, config, field }), [
        422,
        'no_options',
        loc,
        others,
      ]);
    assert.equal((await refusalOf({ credentials, config, field: '' }))[0], 422);
    assert.deepEqual(await refusalOf({ credentials }, 'fax'), [
      404,
      'not_found',
      undefined,
      "source 'fax' does not exist: GET /v1/sources lists them",
    ]);
    assert.equal(peer.requests.length, 0);
  });

  it('need either credentials or a connection', async () => {
    const neither = await refusalOf({ config });
    assert.deepEqual(neither, [
      422,
      'invalid',
      'body',
      'give credentials, or the source_connection_id of a connection that signed in',
    ]);
    const both = await refusalOf({ credentials, source_connection_id: connection });
    assert.deepEqual(both.slice(0, 3), [422, 'invalid', 'body.source_connection_id']);
    const strange = await refusalOf({ credentials: { key: KEY, hue: 'red' }, config });
    assert.deepEqual(strange.slice(0, 3), [422, 'invalid', 'body.credentials.hue']);
  });

  it('[AUTH-12] pass on the error of the source without the credentials', async () => {
    const wrong = 'a-wrong-key-that-nobody-sees';
    const refused = await refusalOf({ credentials: { key: wrong }, config });
    assert.deepEqual(refused.slice(0, 3), [422, 'credentials_refused', 'body.credentials']);
    assert.match(String(refused[3]), /no entry with .*\[secret\]/);
    assert.doesNotMatch(logged.join(''), new RegExp(wrong));
    peer.fault = () => json(401, { message: 'gone' });
    const stored = await refusalOf({ source_connection_id: connection });
    assert.deepEqual(stored.slice(0, 3), [422, 'credentials_refused', 'body.source_connection_id']);
  });

  it('are a 422 when the source cannot be reached', async () => {
    const nowhere = { ...shelves('http://127.0.0.1:1'), shortName: 'nowhere' };
    const alone = await openTestQuarry(await must(sqlite).open(), {
      sources: new Map([['nowhere', nowhere]]),
      env: { QUARRY_ALLOW_LOOPBACK: 'true' },
    });
    const body = { field: 'room', credentials, config };
    const answer = await alone.call('POST', '/v1/sources/nowhere/options', body);
    await alone.close();
    assert.deepEqual([answer.status, answer.body.code], [422, 'source_unreachable']);
  });

  it('are a 422 when the source does not answer within ten seconds', async (t) => {
    peer.fault = () => 'hang';
    const late = new DOMException('too late', 'TimeoutError');
    const timeout = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(late));
    const answer = await refusalOf({ credentials, config });
    assert.deepEqual(answer, [
      422,
      'source_unreachable',
      'body.credentials',
      'Shelves did not answer within 10 seconds',
    ]);
    assert.deepEqual(timeout.mock.calls[0]?.arguments, [10_000]);
  });

  it('[LIM-21] [LIM-22] are a 429 with Retry-After at a limit of the organization, and their requests count', async () => {
    assert.equal((await ask({ credentials, config }, 'limited')).status, 200);
    const { status, headers, body } = await ask({ credentials, config }, 'limited');
    assert.deepEqual([status, body.code], [429, 'source_rate_limit_exceeded']);
    assert.ok(Number(headers['retry-after']) > 3500);
    assert.equal(peer.requests.length, 1);
  });

  it('are given to members within their collections, and not to keys with the role read', async () => {
    const asked = { source_connection_id: connection };
    const reader = await ask(asked, 'shelves', await keyOf({ role: 'read' }));
    assert.equal(reader.status, 403);
    const member = await ask(asked, 'shelves', await keyOf({ role: 'member' }));
    assert.equal(member.status, 200);
    await quarry.ok('POST', '/v1/collections', { name: 'Other', readable_id: 'other' });
    const limits = { role: 'member', collections: ['other'] };
    const beside = await ask(asked, 'shelves', await keyOf(limits));
    assert.equal(beside.status, 404);
    const unknown = await ask({ source_connection_id: newId() });
    assert.equal(unknown.status, 404);
    const strange = await refusalOf(asked, 'limited');
    assert.deepEqual(strange, [
      422,
      'invalid',
      'body.source_connection_id',
      'this is a connection of shelves, not of limited',
    ]);
  });

  it('are a 404 for a connection of another organization', async () => {
    const { id } = await quarry.ok('POST', '/v1/organizations', { name: 'Elsewhere' });
    const answer = await ask({ source_connection_id: connection }, 'shelves', {
      'x-organization-id': id,
    });
    assert.equal(answer.status, 404);
    assert.equal(peer.requests.length, 0);
  });
});

for (const database of DATABASES)
  describe(`the options of a connection with a sign-in in a browser, on ${database.name}`, () => {
    let house: SignInHouse;
    before(async () => {
      house = await openSignInHouse(database);
    });
    after(() => house.close());

    const ask = (id: string) =>
      house.call('POST', '/v1/sources/notebook/options', {
        field: 'project',
        source_connection_id: id,
        query: 'HER',
      });

    it('[AUTH-32] [AUTH-38] are refused without a request before somebody has signed in', async () => {
      const made = await house.waiting();
      const { status, body } = await ask(made.id);
      assert.deepEqual([status, body.code], [409, 'sign_in_needed']);
      assert.equal(house.provider.requests.get('/api/projects'), undefined);
    });

    it('[AUTH-23] [AUTH-38] renew a token that has ended', async () => {
      const { id } = await house.signedIn();
      await house.settled(id);
      await house.expire(id);
      const renewed = house.provider.requests.get('/token') ?? 0;
      const { status, body } = await ask(id);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body, [{ value: 'heron', title: 'HERON', description: null }]);
      assert.equal(house.provider.requests.get('/token'), renewed + 1);
    });
  });
