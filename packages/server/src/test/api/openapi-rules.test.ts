/** Checks that programs can be made from the document: its names, headers and examples, and the rules of Redocly. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { readDocument, type Schema } from './document.ts';
import { buildApi, openTestApi, type TestApi } from './harness.ts';

const [sqlite] = DATABASES;

interface Named {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

interface Answer {
  readonly headers?: Readonly<Record<string, { $ref: string }>>;
  readonly content?: Readonly<Record<string, { example?: unknown; schema?: Schema }>>;
}

describe('the OpenAPI document for programs', () => {
  let api: TestApi;
  let text: string;
  let document: Awaited<ReturnType<typeof readDocument>>;
  before(async () => {
    api = await openTestApi(await must(sqlite).open());
    document = await readDocument(api);
    text = JSON.stringify(document.document);
  });
  after(() => api.close());

  const raw = (): Named[] =>
    Object.values<Record<string, Named>>(document.document.paths).flatMap(Object.values);

  const parametersOf = (method: string, path: string): string[] =>
    document.document.paths[path][method.toLowerCase()].parameters.map(
      ({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref?.replace(/^.*\//, ''),
    );

  it('keeps the rules that Redocly recommends', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const lint = async (source: string) =>
      (await lintFromString({ source, absoluteRef: '/openapi.json', config })).map(
        ({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`,
      );
    assert.deepEqual(await lint(text), []);
    const issuer = 'https://issuer.example.com';
    const signedIn = buildApi(api, {
      oauth: {
        issuer,
        resource: 'https://quarry.example.com/mcp',
        audience: 'quarry',
        scopes: [],
        client: null,
        introspectsAll: false,
      },
    });
    const { body: withIssuer } = await signedIn.inject('/openapi.json');
    await signedIn.close();
    assert.match(withIssuer, /getProtectedToolServer/);
    assert.deepEqual(await lint(withIssuer), []);
    const worse = await lint(text.replace('"operationId":"listCollections",', ''));
    assert.equal(worse.length, 1);
  });

  it('[GEN-45] names every operation by a verb and a thing, and sorts it under a known tag', () => {
    const tags = document.document.tags.map(({ name }: { name: string }) => name);
    for (const operation of raw()) {
      const { operationId, summary } = operation;
      assert.match(operationId, /^[a-z]+([A-Z][a-zA-Z]*)+$/, summary);
      assert.ok(
        operation.tags.every((tag) => tags.includes(tag)),
        `${operationId}: ${operation.tags}`,
      );
    }
    const used = new Set(raw().flatMap((operation) => operation.tags));
    assert.deepEqual(
      tags.filter((tag: string) => !used.has(tag)),
      [],
    );
  });

  it('[GEN-45] gives an example of every body and answer', () => {
    const without: string[] = [];
    for (const { method, path, responses } of document.operations)
      for (const [status, answer] of Object.entries(responses as Record<string, Answer>))
        for (const { example } of Object.values(answer.content ?? {}))
          if (example === undefined || JSON.stringify(example).includes('"text":"text"'))
            without.push(`${method} ${path} ${status}`);
    for (const { method, path, body, example } of document.operations)
      if (body && example === undefined) without.push(`${method} ${path}`);
    assert.deepEqual(without, []);
  });

  it('[GEN-08] accepts the example of every body', async () => {
    let count = 0;
    for (const { method, path, example } of document.operations) {
      if (example === undefined || path === '/mcp') continue;
      const url = path.replaceAll(/\{\w+\}/g, 'nothing');
      const { status, body } = await api.call(method, url, { body: example });
      // The fault of an example would lie in its body; a rule of the service may still refuse the values.
      const faults = status === 422 ? body.detail : [];
      const types = faults.map(({ type }: { type: string }) => type);
      assert.ok(!types.some(isOfShape), `${method} ${path}: ${JSON.stringify(body)}`);
      count += 1;
    }
    assert.ok(count > 25, `${count} bodies`);
  });

  it('[GEN-45] names the headers that a route takes', async () => {
    for (const { method, path, needsKey } of document.operations) {
      const names = parametersOf(method, path);
      assert.ok(names.includes('X-Request-ID'), path);
      assert.equal(names.includes('X-Organization-ID'), needsKey, path);
      if (path === '/mcp') continue;
      const { status, body } = await api.call(method, path.replaceAll(/\{\w+\}/g, 'nothing'), {
        headers: { 'x-principals': 'nobody' },
        ...(path.includes('search') && { body: { query: 'heron' } }),
        ...(path.endsWith('grep') && { body: { pattern: 'heron' } }),
      });
      const isAsked = status === 422 && /not a principal/.test(JSON.stringify(body.detail));
      const needsIds = status === 422 && !isAsked;
      if (!needsIds) assert.equal(isAsked, names.includes('X-Principals'), `${method} ${path}`);
    }
  });

  it('names the headers that an answer has', async () => {
    for (const { method, path, responses } of document.operations) {
      const [success] = Object.entries(responses as Record<string, Answer>);
      const { schema } = must(success)[1].content?.['application/json'] ?? {};
      const isList = method === 'GET' && schema?.type === 'array';
      const headers = Object.keys(must(success)[1].headers ?? {});
      assert.ok(headers.includes('X-Request-ID'), path);
      assert.equal(headers.includes('X-Total-Count'), isList, path);
      // Only somebody with a session may list sessions.
      if (!isList || path.includes('{') || path === '/v1/auth/sessions') continue;
      const { headers: got } = await api.call(method, path);
      assert.ok('x-total-count' in got, path);
    }
  });
});

/** These faults say that a value has the wrong shape. Others, such as those of a source, come from the service. */
const isOfShape = (type: string) =>
  [
    'invalid_type',
    'unrecognized_key',
    'too_small',
    'too_big',
    'invalid_value',
    'invalid_union',
  ].includes(type);
