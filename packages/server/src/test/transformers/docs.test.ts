/** Tests that the example of docs/transformers.md works as the page describes it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { must } from '../../util.ts';
import { DATABASES } from '../databases.ts';
import { openShop, type Shop } from './shop.ts';

const DOC = fileURLToPath(new URL('../../../../../docs/transformers.md', import.meta.url));
const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** Returns the code blocks of the page in this language, in their order. */
const blocks = (language: string) =>
  [...readFileSync(DOC, 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, of]) => of === language)
    .map(([, , text]) => must(text));

describe('docs/transformers.md', () => {
  const [module] = blocks('js');
  const [entities, transformer] = blocks('json');
  const [session] = blocks('console');
  const [command, ...printed] = must(session).split('\n');
  const config = JSON.parse(must(/--config '(.*)'/.exec(must(command)))[1]!);

  for (const database of DATABASES) {
    describe(`on ${database.name}`, () => {
      let shop: Shop;
      before(async () => {
        shop = await openShop(await database.open());
        writeFileSync(join(shop.folder, 'tickets.js'), must(module));
        writeFileSync(join(shop.folder, 'tickets.json'), must(entities));
      });
      after(() => shop.close());

      it('its transformer gives in a sync the result that the page shows', async () => {
        const { id } = await shop.ok('POST', '/v1/transformers', JSON.parse(must(transformer)));
        const collection = await shop.collection();
        const connection = await shop.connect(collection, [{ transformer_id: id, config }], {
          short_name: 'push',
          authentication: undefined,
          sync_immediately: undefined,
          schedule: undefined,
        });
        await shop.ok('POST', `/v1/source-connections/${connection}/entities`, {
          entities: JSON.parse(must(entities)),
        });
        const job = await shop.settled(connection);
        assert.deepEqual([job.entities_inserted, job.entities_skipped], [2, 1]);
        assert.deepEqual(await shop.texts(collection), {
          'T-1': 'It smells of smoke.',
          'T-3': 'Quietly.',
        });
        const found = await shop.ok('POST', `/v1/collections/${collection}/search`, {
          query: 'smoke',
          filter: { must: [{ key: 'metadata.severity', match: { value: 'high' } }] },
        });
        assert.equal(found.results.length, 1);
      });

      if (database === DATABASES[0])
        it('its command prints the output that the page shows', async () => {
          const run = (...more: string[]) =>
            promisify(execFile)(
              process.execPath,
              ['-C', 'quarry', MAIN, 'transformers', 'test', 'tickets.js', ...more],
              { cwd: shop.folder, env: {} },
            );
          const flags = ['--entity', 'tickets.json', '--config', JSON.stringify(config)];
          const { stdout } = await run('--method', 'triage', ...flags);
          assert.equal(stdout, printed.join('\n'));
          await assert.rejects(run(...flags), (error: { code: number; stdout: string }) => {
            assert.equal(error.code, 1);
            assert.match(error.stdout, /^T-1: failed: transform is not an exported async function/);
            return true;
          });
          await assert.rejects(run('--entity', 'tickets.js'), /is not JSON/);
        });
    });
  }
});
