/** Tests secrets in ordinary texts: a job warns of them, and the advice in its hint removes them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DATABASES } from '../databases.ts';
import { isSmokeEnough } from '../tier.ts';
import { openTestQuarry, type TestQuarry } from './quarry.ts';

/** The token is in parts, so that a scanner for secrets finds none in this file. */
const TOKEN = ['gh', 'p_', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('');
const PRIVATE = `-----BEGIN RSA ${'PRIVATE'} KEY-----`;
const KEY = `${PRIVATE}\nMIIEowIBAAKCAQEAuK1\n${PRIVATE.replace('BEGIN', 'END')}`;

for (const database of DATABASES) {
  describe(`secrets in texts on ${database.name}`, () => {
    let quarry: TestQuarry;
    let folder: string;
    let collection: string;
    let made = 0;
    before(async () => {
      quarry = await openTestQuarry(await database.open());
    });
    after(() => quarry.close());
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'quarry-found-'));
      collection = `notes-${made++}`;
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: collection });
    });
    const connect = (body: object) =>
      quarry.ok('POST', '/v1/source-connections', {
        name: 'Notes',
        readable_collection_id: collection,
        ...body,
      });
    const connectFolder = () => connect({ short_name: 'files', config: { path: folder } });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const found = ({
      warnings,
    }: {
      warnings: { code: string; count: number; examples: string[] }[];
    }) => warnings.map(({ code, count, examples }) => [code, count, examples]);

    it('[CON-41] both views of a job warn of secrets, in every sync that meets them, and show none of them', async () => {
      write('a.md', `The token of the bot is ${TOKEN}.`);
      write('b.md', `Our key:\n\n${KEY}\n\nKeep it.`);
      write('c.md', 'The password is on the board.');
      const { id } = await connectFolder();
      const first = await quarry.settled(id);
      assert.deepEqual(found(first), [['secrets_found', 2, ['a.md', 'b.md']]]);
      const [short] = await quarry.ok('GET', `/v1/source-connections/${id}/jobs`);
      assert.deepEqual(short.warnings, first.warnings);
      assert.ok(!JSON.stringify(first).includes(TOKEN) && !JSON.stringify(first).includes('MIIE'));
      assert.match(
        first.warnings[0].message,
        /^2 records contain a private key or a provider's API key/,
      );

      write('c.md', `It is ${TOKEN} now.`);
      const second = await quarry.sync(id);
      assert.deepEqual([second.entities_kept, second.entities_updated], [2, 1]);
      const [[code, count, examples]] = found(second) as [[string, number, string[]]];
      assert.deepEqual(
        [code, count, examples.toSorted()],
        ['secrets_found', 3, ['a.md', 'b.md', 'c.md']],
      );

      for (const name of ['a.md', 'c.md']) write(name, 'The token has gone to the vault.');
      rmSync(join(folder, 'b.md'));
      assert.deepEqual((await quarry.sync(id)).warnings, []);
    });

    if (isSmokeEnough(database)) return;

    it('[CON-41] the change that the hint of the warning names removes the secrets from all search results', async () => {
      write('a.md', `The token of the bot is ${TOKEN}.`);
      const { id } = await connectFolder();
      const [warning] = (await quarry.settled(id)).warnings;
      assert.equal(warning.message.split(' ')[0], '1');
      const keyword = { retrieval_strategy: 'keyword' };
      assert.deepEqual(await quarry.find(collection, TOKEN, keyword), ['a.md__chunk_0']);

      const transformer = JSON.parse(/\{.*\}(?= to the transformers)/.exec(warning.hint)![0]);
      const patch = /PATCH (\S+?)\)/.exec(warning.hint)![1]!;
      const reprocess = /POST (\S+)/.exec(warning.hint)![1]!;
      await quarry.ok('PATCH', patch, { transformers: [transformer] });
      await quarry.ok('POST', reprocess);
      assert.deepEqual((await quarry.settled(id)).warnings, []);
      assert.deepEqual(await quarry.find(collection, TOKEN, keyword), []);
      const { results } = await quarry.ok('POST', `/v1/collections/${collection}/search`, {
        query: 'the token of the bot',
      });
      assert.equal(results[0].md_content, 'The token of the bot is [secret].');
      write('b.md', `Another ${TOKEN}.`);
      assert.deepEqual((await quarry.sync(id)).warnings, []);
    });

    it('[CON-41] a job also warns of secrets in pushed records, in names and in fields', async () => {
      const { id } = await connect({ short_name: 'push' });
      const entities = [
        { entity_id: 'text', name: 'Text', text: TOKEN },
        { entity_id: 'name', name: TOKEN, text: '' },
        { entity_id: 'field', name: 'Field', text: '', metadata: { deep: [{ token: TOKEN }] } },
        { entity_id: 'none', name: 'None', text: 'nothing' },
      ];
      await quarry.ok('POST', `/v1/source-connections/${id}/entities`, { entities });
      const job = await quarry.settled(id);
      assert.deepEqual(found(job), [['secrets_found', 3, ['text', 'name', 'field']]]);
    });
  });
}
