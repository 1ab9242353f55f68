/** Holds that every list of the API is of one of the kinds that docs/api.md describes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { type Operation, readDocument, type Schema } from './document.ts';
import { openTestApi, type TestApi } from './harness.ts';

const DOCS = fileURLToPath(new URL('../../../../../docs/api.md', import.meta.url));
const ROW = /^\| (numbered|marked|whole) \|(.*)\|$/gm;

interface ListAnswer {
  readonly headers?: object;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

describe('the lists of the API', () => {
  let api: TestApi;
  let document: Awaited<ReturnType<typeof readDocument>>;
  before(async () => {
    api = await openTestApi(await must(DATABASES[0]).open());
    document = await readDocument(api);
  });
  after(() => api.close());

  const answerOf = ({ responses }: Operation) => responses['200'] as ListAnswer | undefined;

  function shapeOf(operation: Operation): Schema {
    const schema = answerOf(operation)?.content?.['application/json']?.schema;
    return schema ? document.resolve(schema) : {};
  }

  /** Returns null for what is not a list. */
  function kindOf(operation: Operation): 'numbered' | 'marked' | 'whole' | null {
    const { type, properties } = shapeOf(operation);
    if (properties && 'next' in properties) return 'marked';
    if (type !== 'array' || operation.method !== 'GET') return null;
    return operation.query.some(({ name }) => name === 'skip') ? 'numbered' : 'whole';
  }

  it('[GEN-03] have the parameters and the answer of their kind', () => {
    const counts = { numbered: 0, marked: 0, whole: 0 };
    for (const operation of document.operations) {
      const kind = kindOf(operation);
      if (kind === null) continue;
      counts[kind] += 1;
      const { method, path, query, body } = operation;
      const where = `${method} ${path}`;
      const limits = query.filter(({ name }) => ['skip', 'limit', 'after'].includes(name));
      const taken = body
        ? Object.keys(must(document.resolve(body).properties))
        : limits.map(({ name }) => name);
      const { properties = {} } = shapeOf(operation);
      const hasTotal = 'X-Total-Count' in (answerOf(operation)?.headers ?? {});
      if (kind === 'numbered') {
        assert.deepEqual(taken.toSorted(), ['limit', 'skip'], where);
        const [skip, limit] = limits.map(({ schema }) => schema);
        assert.deepEqual([skip?.minimum, limit?.minimum], [0, 1], where);
        assert.ok([100, 1000].includes(limit?.maximum ?? 0), where);
      } else if (kind === 'marked') {
        for (const name of ['after', 'limit']) assert.ok(taken.includes(name), `${where}: ${name}`);
        assert.ok(!taken.includes('skip'), where);
        assert.deepEqual(properties.next?.type, ['string', 'null'], where);
      } else assert.deepEqual(taken, [], where);
      assert.equal(hasTotal, kind !== 'marked', where);
    }
    assert.ok(counts.numbered >= 18 && counts.marked >= 3 && counts.whole >= 2);
  });

  it('are named in docs/api.md, where they are not the usual ones', () => {
    const rows = [...readFileSync(DOCS, 'utf8').matchAll(ROW)];
    assert.deepEqual(
      rows.map(([, kind]) => kind),
      ['numbered', 'marked', 'whole'],
    );
    for (const [, kind, text = ''] of rows.slice(1)) {
      const named = [...text.matchAll(/`((?:GET|POST) \/v1\/[^`]*)`/g)].map(([, one]) => one);
      const meant = document.operations
        .filter((operation) => kindOf(operation) === kind)
        .map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(named.toSorted(), meant.toSorted(), kind);
    }
  });

  it('[GEN-03] that come whole say how many items they have', async () => {
    const { organizationId } = await api.owner();
    const path = `/v1/organizations/${organizationId}/usage?days=7`;
    const { headers, body } = await api.call('GET', path);
    assert.deepEqual([headers['x-total-count'], body.length], ['7', 7]);
  });
});
