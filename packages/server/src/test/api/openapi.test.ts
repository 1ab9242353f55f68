import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { must, newId } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import {
  BROWSER_PATHS,
  type Edge,
  edges,
  type Operation,
  readDocument,
  type Schema,
} from './document.ts';
import { buildApi, openTestApi, type TestApi } from './harness.ts';

const [sqlite] = DATABASES;

describe('the OpenAPI document', () => {
  let api: TestApi;
  let document: Awaited<ReturnType<typeof readDocument>>;
  /** The body of a push is read only when its connection exists. */
  let pushed: string;
  before(async () => {
    api = await openTestApi(await must(sqlite).open());
    document = await readDocument(api);
    const collection = { name: 'Pushes', readable_id: 'pushes' };
    await api.call('POST', '/v1/collections', { body: collection });
    const made = { name: 'Pushed', short_name: 'push', readable_collection_id: 'pushes' };
    pushed = (await api.call('POST', '/v1/source-connections', { body: made })).body.id;
  });
  after(() => api.close());

  it('[GEN-06] [GEN-01] the document is OpenAPI 3.1, as JSON', async () => {
    const { status, headers, body } = await api.call('GET', '/openapi.json');
    assert.deepEqual(
      [status, headers['content-type'], body.openapi],
      [200, 'application/json; charset=utf-8', '3.1.1'],
    );
    assert.deepEqual(body.security, [{ bearer: [] }, { apiKey: [] }]);
  });

  it('[GEN-07] the document lists exactly the routes that are served', async () => {
    const served: string[] = [];
    const other = buildApi(api);
    other.addHook('onRoute', ({ method, url, schema }) => {
      if (!schema?.hide && method !== 'HEAD')
        served.push(`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    });
    await other.ready();
    await other.close();
    const listed = document.operations.map(({ method, path }) => `${method} ${path}`);
    assert.ok(listed.includes('PATCH /v1/collections/{readable_id}'));
    assert.ok(listed.includes('GET /openapi.json'));
    const pages = BROWSER_PATHS.map((path) => `GET ${path}`);
    assert.deepEqual([...listed, ...pages].toSorted(), served.toSorted());
    for (const { method, path } of document.operations) {
      const { body } = await api.call(method, path.replaceAll(/\{\w+\}/g, 'x'));
      assert.doesNotMatch(String(body?.detail), /this route does not exist/);
    }
  });

  it('the document describes the errors of every route by one schema', () => {
    const schema = { $ref: '#/components/schemas/Error' };
    for (const { method, path, responses } of document.operations)
      for (const range of ['4XX', '5XX']) {
        const response = responses[range] as { content: Record<string, { schema: unknown }> };
        assert.deepEqual(response.content['application/json']?.schema, schema, `${method} ${path}`);
      }
    assert.deepEqual(document.document.components.schemas.Error.required, [
      'detail',
      'code',
      'request_id',
    ]);
  });

  for (const [id, path, types] of [
    [
      'JOB-40',
      'GET /v1/source-connections/{id}/jobs/{job_id}/stream',
      ['progress', 'done', 'error'],
    ],
    [
      'STR-03',
      'POST /v1/collections/{readable_id}/agentic-search/stream',
      ['planning', 'search', 'evaluation', 'done', 'error'],
    ],
  ] as const)
    it(`[${id}] the document describes the events of a stream`, () => {
      const stream = document.operations.find(
        (operation) => `${operation.method} ${operation.path}` === path,
      );
      const { content } = must(stream).responses[200] as {
        content: Record<string, { schema: Schema }>;
      };
      assert.deepEqual(Object.keys(content), ['text/event-stream']);
      const events = must(content['text/event-stream']?.schema.oneOf).map(document.resolve);
      assert.deepEqual(
        events.map(({ properties, required }) => [
          properties?.type?.const,
          required?.toSorted().join() ===
            Object.keys(properties ?? {})
              .toSorted()
              .join(),
        ]),
        types.map((type) => [type, true]),
      );
    });

  it('the document names exactly the schemas that it uses', () => {
    const names = Object.keys(document.document.components.schemas);
    const text = JSON.stringify(document.document);
    const used = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    assert.deepEqual(names, [...new Set(used)].toSorted());
    assert.ok(names.includes('NewCollection') && !names.includes('NewCollectionInput'));
  });

  it('[GEN-08] the API requires each field that the document calls required', async () => {
    for (const operation of document.operations) {
      const required = operation.body && document.resolve(operation.body).required;
      if (!required?.length) continue;
      const { status, body } = await send(operation, {});
      assert.equal(status, 422);
      const named = body.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'));
      for (const name of required)
        assert.ok(
          named.includes(`body.${name}`),
          `${operation.path} accepts a body without ${name}`,
        );
    }
  });

  it('[GEN-08] [GEN-20] the API enforces every rule that the document states for a body', async () => {
    const rules = new Set<string>();
    for (const operation of document.operations)
      for (const { path, rule, bad, good } of bodyEdges(operation)) {
        const where = `${operation.method} ${operation.path} ${path.join('.')} ${rule}`;
        const refused = await send(operation, nest(path, bad));
        assert.equal(refused.status, 422, where);
        assert.ok(isNamed(refused.body.detail, path), `${where}: ${JSON.stringify(refused.body)}`);
        rules.add(rule);
        if (good === undefined) continue;
        const { status, body } = await send(operation, nest(path, good));
        assert.ok(status !== 422 || !isNamed(body.detail, path), `${where} at the edge`);
      }
    const expected = ['type', 'minLength', 'maxLength', 'pattern', 'enum', 'unknown', 'minimum'];
    assert.deepEqual(
      expected.filter((rule) => !rules.has(rule)),
      [],
    );
  });

  it('[GEN-08] [GEN-39] the API enforces every rule that the document states for a query', async () => {
    let count = 0;
    for (const operation of document.operations) {
      for (const { name, schema } of operation.query) {
        for (const { rule, bad, good } of edges(document.resolve(schema))) {
          // In a query, every value is a text.
          if (rule === 'type' && typeof bad !== 'string' && schema.type === 'string') continue;
          const where = `${operation.path}?${name} ${rule}`;
          const others = operation.query.filter((one) => one.required && one.name !== name);
          const valid = (one: Schema) => (one.format === 'uuid' ? newId() : 'x');
          const rest = others.map((one) => `&${one.name}=${valid(one.schema)}`).join('');
          const ask = (value: unknown) =>
            api.call(
              operation.method,
              `${withIds(operation)}?${name}=${String(value)}${rest}`,
              operation.body ? { body: {} } : {},
            );
          const refused = await ask(bad);
          assert.equal(refused.status, 422, where);
          assert.deepEqual(refused.body.detail[0].loc, ['query', name], where);
          if (good !== undefined) assert.notEqual((await ask(good)).status, 422, where);
          count += 1;
        }
      }
    }
    assert.ok(count > 30);
  });

  it('[GEN-09] /docs is a page that shows this document and loads nothing from elsewhere', async () => {
    const { status, headers, body } = await api.call('GET', '/docs', { key: null });
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(body, /"url": "\/openapi\.json"/);
    const [, script] = /<script src="([^"]+)"/.exec(body) ?? [];
    assert.equal(script, '/docs/js/scalar.js');
    const code = await api.call('GET', must(script), { key: null });
    assert.equal(code.status, 200);
    assert.match(String(code.headers['content-type']), /^application\/javascript/);
    assert.doesNotMatch(body, /(src|href)="(https?:)?\/\//);
  });

  const PUSHES = '/v1/source-connections/{id}/entities';
  const withIds = ({ path }: Operation) =>
    path.replaceAll(/\{\w+\}/g, path === PUSHES ? pushed : 'nothing');

  const send = (operation: Operation, body: unknown) =>
    api.call(operation.method, withIds(operation), { body });

  /** Yields the path of every value in a body, with the schema of that value. */
  function* places(
    schema: Schema,
    path: readonly string[],
  ): Generator<{ path: readonly string[]; schema: Schema }> {
    const here = document.resolve(schema);
    const [only, ...others] = (here.anyOf ?? []).filter(({ type }) => type !== 'null');
    // Values that have several forms have their own tests.
    if (only && others.length === 0) yield* places(only, path);
    if (here.anyOf) return;
    yield { path, schema: here };
    for (const [name, inner] of Object.entries(here.properties ?? {}))
      yield* places(inner, [...path, name]);
  }

  function* bodyEdges({ body }: Operation): Generator<Edge & { path: readonly string[] }> {
    if (!body) return;
    for (const { path, schema } of places(body, []))
      for (const edge of edges(schema)) yield { ...edge, path };
  }
});

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, name) => ({ [name]: inner }), value);

/** Tells whether a fault lies at the path, or below it. */
const isNamed = (detail: { loc: unknown[] }[], path: readonly string[]) =>
  detail.some(({ loc }) => ['body', ...path].every((name, at) => loc[at] === name));
