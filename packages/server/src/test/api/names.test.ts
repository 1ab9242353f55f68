/** Tests that every route refuses names and descriptions without a visible character. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import type { Method } from '../inject.ts';
import { openTestApi, type TestApi } from './harness.ts';

const BLANK = '  \u200b\u3164\u00a0 ';

for (const database of DATABASES) {
  describe(`names on ${database.name}`, () => {
    let api: TestApi;
    const made: Record<string, string> = {};
    before(async () => {
      api = await openTestApi(await database.open());
      const make = async (url: string, body: object) =>
        (await api.call('POST', url, { body })).body;
      await make('/v1/collections', { name: 'Some notes', readable_id: 'notes' });
      made.connection = (
        await make('/v1/source-connections', {
          name: 'Pushes',
          short_name: 'push',
          readable_collection_id: 'notes',
        })
      ).id;
      made.organization = (await api.call('GET', '/v1/organizations')).body[0].id;
    });
    after(() => api.close());

    const place = { short_name: 'push', readable_collection_id: 'notes' };
    const url = 'https://example.org/hook';
    const takers: readonly [Method, string, string, object][] = [
      ['POST', '/v1/collections', 'name', {}],
      ['PATCH', '/v1/collections/notes', 'name', {}],
      ['POST', '/v1/source-connections', 'name', place],
      ['POST', '/v1/source-connections', 'description', { ...place, name: 'Pushes' }],
      ['PATCH', '/v1/source-connections/{connection}', 'name', {}],
      ['POST', '/v1/organizations', 'name', {}],
      ['PATCH', '/v1/organizations/{organization}', 'name', {}],
      ['POST', '/v1/api-keys', 'name', { role: 'read' }],
      ['POST', '/v1/transformers', 'name', {}],
      ['POST', '/v1/webhooks/subscriptions', 'description', { url }],
    ];
    for (const [method, path, field, rest] of takers)
      it(`${method} ${path} refuses a ${field} without a visible character`, async () => {
        const address = path.replace(/\{(\w+)\}/, (_, name) => made[name] ?? '');
        const answer = await api.call(method, address, { body: { ...rest, [field]: BLANK } });
        assert.equal(answer.status, 422, JSON.stringify(answer.body));
        const fault = answer.body.detail.find(({ loc }: { loc: string[] }) => loc[1] === field);
        assert.match(fault.msg, /use at least one character that can be seen/);
      });
  });
}
