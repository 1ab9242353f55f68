import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { page, whole } from '../app/source.ts';
import { DATABASES } from '../databases.ts';
import { isLeftToSqlite } from '../tier.ts';
import { counts, openShop, PAGE, POST, type Shop } from './shop.ts';

const TYPED = `export async function suffix(entities: unknown, config: unknown) {
  return entities;
}`;

const SYSTEM = ['Contextual chunk header', 'Redaction'];

for (const database of DATABASES) {
  describe(`the API of transformers on ${database.name}`, () => {
    let shop: Shop;
    const body = {
      name: 'Suffix',
      method_name: 'suffix',
      module_name: 'kind.js',
      input_entity_definition_ids: [PAGE],
      output_entity_definition_ids: [PAGE, POST],
      config_schema: {
        type: 'object',
        required: ['word'],
        properties: { word: { type: 'string', pattern: '^[a-z]+$' } },
        additionalProperties: false,
      },
    };
    before(async () => {
      shop = await openShop(await database.open());
      writeFileSync(
        join(shop.root, 'outside.js'),
        'export async function suffix(a, b) { return a; }',
      );
      symlinkSync(join(shop.root, 'outside.js'), join(shop.folder, 'link.js'));
      mkdirSync(join(shop.folder, 'below'));
      writeFileSync(join(shop.folder, 'below/typed.ts'), TYPED);
      symlinkSync(join(shop.folder, 'kind.js'), join(shop.folder, 'alias.js'));
      writeFileSync(join(shop.folder, 'broken.js'), 'export async function suffix(a, b) {');
    });
    after(() => shop.close());

    const create = (over: object = {}) =>
      shop.call('POST', '/v1/transformers', { ...body, ...over });
    async function refused(over: object, message: RegExp, loc?: readonly (string | number)[]) {
      const { status, body: answer } = await create(over);
      assert.equal(status, 422, JSON.stringify(answer));
      assert.match(answer.detail[0].msg, message);
      if (loc) assert.deepEqual(answer.detail[0].loc, loc);
    }

    it('[TRF-01] [TRF-02] [TRF-04] POST creates a transformer, and answers 201 with all its fields', async () => {
      const { status, body: made } = await create({ description: 'Says a word' });
      assert.equal(status, 201);
      const { id, organization_id, created_at, modified_at, ...rest } = made;
      assert.deepEqual(rest, {
        ...body,
        description: 'Says a word',
        created_by_email: 'owner@localhost',
        modified_by_email: 'owner@localhost',
      });
      for (const uuid of [id, organization_id]) assert.match(uuid, /^[0-9a-f-]{36}$/);
      assert.match(created_at, /Z$/);
      assert.equal(modified_at, created_at);
      assert.deepEqual(await shop.ok('GET', `/v1/transformers/${id}`), made);
      assert.deepEqual(await shop.ok('GET', `/api/v1/transformers/${id}`), made);
    });

    it('[TRF-06] simultaneous changes of different fields are all kept', async () => {
      const { body: made } = await create();
      const path = `/v1/transformers/${made.id}`;
      await Promise.all([
        shop.ok('PUT', path, { name: 'Other' }),
        shop.ok('PUT', path, { description: 'of its own' }),
        shop.ok('PUT', path, { output_entity_definition_ids: [PAGE] }),
      ]);
      const { name, description, output_entity_definition_ids } = await shop.ok('GET', path);
      assert.deepEqual(
        [name, description, output_entity_definition_ids],
        ['Other', 'of its own', [PAGE]],
      );
    });

    it('[TRF-02] [TRF-03] GET lists the transformers of the system first, then those of the organization', async () => {
      const { body: made } = await create({ name: 'Newest' });
      const all = await shop.ok('GET', '/v1/transformers');
      assert.deepEqual(
        all.slice(0, 3).map(({ name }: { name: string }) => name),
        [...SYSTEM, 'Newest'],
      );
      assert.deepEqual(
        all.map((one: { organization_id: string | null }) => one.organization_id === null),
        all.map((_: unknown, i: number) => i < 2),
      );
      const names = async (query: string) =>
        (await shop.ok('GET', `/v1/transformers?${query}`)).map(
          ({ name }: { name: string }) => name,
        );
      assert.deepEqual(await names('limit=1'), [SYSTEM[0]]);
      assert.deepEqual(await names('skip=1&limit=2'), [SYSTEM[1], 'Newest']);
      assert.deepEqual(await names('skip=2&limit=1'), ['Newest']);
      const system = await shop.ok('GET', `/v1/transformers/${all[1].id}`);
      assert.deepEqual(system, all[1]);
      assert.ok(system.input_entity_definition_ids.includes(PAGE));
      for (const method of ['PUT', 'DELETE'] as const)
        assert.equal(
          (
            await shop.call(
              method,
              `/v1/transformers/${system.id}`,
              method === 'PUT' ? {} : undefined,
            )
          ).status,
          403,
        );
      await shop.ok('DELETE', `/v1/transformers/${made.id}`);
    });

    it('[TRF-06] PUT changes only the given fields, and an unknown id is a 404', async () => {
      const { body: made } = await create();
      const changed = await shop.ok('PUT', `/v1/transformers/${made.id}`, {
        name: 'Other',
        description: 'd',
      });
      const { modified_at, ...rest } = changed;
      const { modified_at: before, ...same } = made;
      assert.deepEqual(rest, { ...same, name: 'Other', description: 'd' });
      assert.ok(modified_at > before);
      for (const id of [randomUUID(), 'nonsense'])
        assert.equal((await shop.call('PUT', `/v1/transformers/${id}`, { name: 'x' })).status, 404);
      const gone = await shop.call('PUT', `/v1/transformers/${made.id}`, {
        module_name: 'gone.js',
      });
      assert.equal(gone.status, 422);
    });

    it('[TRF-07] DELETE deletes a transformer, which GET then no longer finds', async () => {
      const { body: made } = await create();
      assert.deepEqual(await shop.ok('DELETE', `/v1/transformers/${made.id}`), made);
      for (const method of ['GET', 'DELETE'] as const)
        assert.equal((await shop.call(method, `/v1/transformers/${made.id}`)).status, 404);
    });

    it('another organization does not see the transformers', async () => {
      const { body: made } = await create();
      const other = await shop.ok('POST', '/v1/organizations', { name: 'Other' });
      const headers = { 'x-organization-id': other.id };
      const listed = await shop.call('GET', '/v1/transformers', undefined, headers);
      assert.deepEqual(
        listed.body.map(({ name }: { name: string }) => name),
        SYSTEM,
      );
      assert.equal(
        (await shop.call('GET', `/v1/transformers/${made.id}`, undefined, headers)).status,
        404,
      );
      assert.equal(
        (await shop.call('DELETE', `/v1/transformers/${made.id}`, undefined, headers)).status,
        404,
      );
    });

    if (isLeftToSqlite(database)) return;

    it('[TRF-09] at most two modules are examined at the same time, even for many requests', async () => {
      const processes = () =>
        process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
      let most = 0;
      const timer = setInterval(() => {
        most = Math.max(most, processes());
      }, 2);
      const made = await Promise.all(Array.from({ length: 8 }, () => create()));
      clearInterval(timer);
      assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
      assert.ok(most > 0 && most <= 2, `${most} processes`);
      for (const one of made) await shop.ok('DELETE', `/v1/transformers/${one.body.id}`);
    });

    it('[TRF-05] every field but the description is required', async () => {
      for (const field of Object.keys(body)) {
        const { [field]: _, ...rest } = body as Record<string, unknown>;
        const { status, body: answer } = await shop.call('POST', '/v1/transformers', rest);
        assert.equal(status, 422, field);
        assert.deepEqual(answer.detail[0].loc, ['body', field]);
      }
      const { body: made } = await create();
      assert.equal(made.description, null);
      await refused({ more: 1 }, /the field 'more' is not known/);
      await refused({ input_entity_definition_ids: ['Page'] }, /UUID/);
    });

    it('[ENT-14] only ids of existing entity definitions are accepted', async () => {
      const { body: made } = await create();
      const unknown = randomUUID();
      for (const field of ['input_entity_definition_ids', 'output_entity_definition_ids']) {
        const over = { [field]: [PAGE, unknown] };
        await refused(over, /does not exist: GET \/v1\/entity-definitions/, ['body', field, 1]);
        const { status } = await shop.call('PUT', `/v1/transformers/${made.id}`, over);
        assert.equal(status, 422);
      }
    });

    it('a key with the role read may read transformers, and may not change them', async () => {
      const { key } = await shop.ok('POST', '/v1/api-keys', { name: 'reader', role: 'read' });
      const as = { 'x-api-key': key, authorization: `Bearer ${key}` };
      assert.equal((await shop.call('GET', '/v1/transformers', undefined, as)).status, 200);
      assert.equal((await shop.call('POST', '/v1/transformers', body, as)).status, 403);
    });

    for (const name of ['../outside.js', '/etc/passwd.js', 'link.js'])
      it(`[TRF-08] the module ${name} outside the folder is refused`, () =>
        refused({ module_name: name }, /leads out/, ['body', 'module_name']));

    it('[TRF-19] a module that does not exist is refused', () =>
      refused({ module_name: 'missing.js' }, /module 'missing.js' does not exist/, [
        'body',
        'module_name',
      ]));

    it('[TRF-08] modules in subfolders, in TypeScript, and behind links that stay inside the folder are accepted', async () => {
      for (const module_name of ['below/typed.ts', 'alias.js', './kind.js'])
        assert.equal((await create({ module_name })).status, 201, module_name);
    });

    it('[TRF-09] a function with other parameters is refused, and so is a module with a syntax error', async () => {
      const loc = ['body', 'method_name'];
      await refused({ method_name: 'three' }, /async function .* exactly two parameters/, loc);
      await refused({ module_name: 'broken.js' }, /cannot be loaded/, loc);
    });

    it('a config_schema that refers to another document is refused', () =>
      refused({ config_schema: { $ref: 'https://example.org/schema' } }, /only its own parts/, [
        'body',
        'config_schema',
      ]));

    describe('on a connection', () => {
      let collection: string;
      let id: string;
      beforeEach(async () => {
        collection = await shop.collection();
        id = (await create()).body.id;
        shop.world.items = whole(page('a'));
      });
      const fault = async (transformers: object[]) => {
        const connection = await shop.connect(collection);
        const url = `/v1/source-connections/${connection}`;
        const { status, body: answer } = await shop.call('PATCH', url, { transformers });
        assert.equal(status, 422);
        return answer.detail[0];
      };

      it('[TRF-11] a configuration that does not conform to the config_schema is refused', async () => {
        const wrong = await fault([{ transformer_id: id, config: { word: 'UP' } }]);
        assert.deepEqual(wrong.loc, ['body', 'transformers', 0, 'config', 'word']);
        const missing = await fault([{ transformer_id: id, config: {} }]);
        assert.match(missing.msg, /required property 'word'/);
        const more = await fault([{ transformer_id: id, config: { word: 'a', more: 1 } }]);
        assert.match(more.msg, /more/);
      });

      it('a source that is searched live accepts no transformers', async () => {
        const federated = {
          name: 'GitHub',
          short_name: 'github_code',
          readable_collection_id: collection,
          authentication: { credentials: { token: 'x' } },
        };
        const { status, body: answer } = await shop.call('POST', '/v1/source-connections', {
          ...federated,
          transformers: [{ transformer_id: id, config: { word: 'a' } }],
        });
        assert.equal(status, 422);
        assert.deepEqual(answer.detail[0].loc, ['body', 'transformers']);
      });

      it('an unknown transformer is refused', async () => {
        const { loc, msg } = await fault([{ transformer_id: randomUUID(), config: {} }]);
        assert.deepEqual(loc, ['body', 'transformers', 0, 'transformer_id']);
        assert.match(msg, /does not exist/);
      });

      it('[TRF-11] a stored configuration that does not conform never reaches the function, and the failure says so', async () => {
        const connection = await shop.connect(collection, [
          { transformer_id: id, config: { word: 'a' } },
        ]);
        await shop.sync(connection);
        // The API would refuse such a change, but an older version may have stored it.
        await shop.db
          .updateTable('transformers')
          .set({ config_schema: JSON.stringify({ properties: { word: { const: 'b' } } }) })
          .where('id', '=', id)
          .execute();
        const job = await shop.sync(connection);
        assert.deepEqual([job.status, counts(job)], ['completed', [0, 0, 0, 0, 0, 1]]);
        const [failure] = await shop.failures(connection, job.id);
        assert.match(failure.message, /does not fit config_schema: word must be equal to constant/);
        // The record passed the transformer before the change, so it is still shown in its old
        // form.
        assert.deepEqual(await shop.texts(collection), { a: 'text of a a' });
      });

      it('[TRF-07] a transformer cannot be deleted while a connection uses it', async () => {
        const configured = [{ transformer_id: id, config: { word: 'a' } }];
        const connection = await shop.connect(collection, configured);
        const shown = await shop.ok('GET', `/v1/source-connections/${connection}`);
        assert.deepEqual(shown.transformers, configured);
        const { status, body: answer } = await shop.call('DELETE', `/v1/transformers/${id}`);
        assert.equal(status, 409);
        assert.match(answer.detail, /'The world' uses this transformer/);
        await shop.use(connection, []);
        await shop.ok('DELETE', `/v1/transformers/${id}`);
      });

      it('[TRF-19] a missing module fails the entities of its transformer, with the reason', async () => {
        writeFileSync(join(shop.folder, 'passing.js'), TYPED.replaceAll(': unknown', ''));
        await shop.ok('PUT', `/v1/transformers/${id}`, { module_name: 'passing.js' });
        const connection = await shop.connect(collection, [
          { transformer_id: id, config: { word: 'a' } },
        ]);
        assert.deepEqual(counts(await shop.sync(connection)), [1, 0, 0, 0, 0, 0]);
        rmSync(join(shop.folder, 'passing.js'));
        const job = await shop.sync(connection);
        assert.deepEqual([job.status, counts(job)], ['completed', [0, 0, 0, 0, 0, 1]]);
        const [failure] = await shop.failures(connection, job.id);
        assert.match(failure.message, /module 'passing.js' does not exist/);
        assert.match(failure.hint, /Put the module in its place/);
      });

      it('[TRF-17] changed code of a module transforms the records again', async () => {
        const path = join(shop.folder, 'growing.js');
        const code = (word: string) =>
          `export async function suffix(entities, _) {
            return entities.map((one) => ({ ...one, text: ${JSON.stringify(word)} }));
          }`;
        writeFileSync(path, code('first'));
        await shop.ok('PUT', `/v1/transformers/${id}`, { module_name: 'growing.js' });
        const connection = await shop.connect(collection, [
          { transformer_id: id, config: { word: 'a' } },
        ]);
        await shop.sync(connection);
        writeFileSync(path, code('second'));
        assert.deepEqual(counts(await shop.sync(connection)), [0, 1, 0, 0, 0, 0]);
        assert.deepEqual(await shop.texts(collection), { a: 'second' });
      });
    });
  });
}
