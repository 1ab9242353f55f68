/** Tests a clone that runs the bundle of its code, as `npm start` does when the bundle is that of the sources. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from '../child-environment.ts';
import { docxFile } from '../documents/docx-file.ts';
import { pdfFile } from '../documents/pdf-file.ts';
import { TEST_KEY, tempDir } from '../e2e/process.ts';
import { until } from '../until.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Prints the address of the file that has the service, when it is loaded. */
const TELL = `data:text/javascript,import{registerHooks}from'node:module';registerHooks({load(url,context,next){if(/\\/main\\.[jt]s$/.test(url))console.log('loaded',url);return(next(url,context))}})`;

describe('the prepared code of a clone', () => {
  const dir = tempDir();
  before(() =>
    promisify(execFile)(process.execPath, ['-C', 'quarry', 'scripts/prepare.ts'], { cwd: ROOT }),
  );
  after(dir.remove);

  it('serves, syncs documents in their limited process, and searches them in its threads', async () => {
    const folder = join(dir.path, 'papers');
    mkdirSync(folder);
    writeFileSync(join(folder, 'heron.pdf'), pdfFile([['The heron waits at the weir.']]));
    const body = '<w:p><w:r><w:t>The kingfisher dives at noon.</w:t></w:r></w:p>';
    writeFileSync(join(folder, 'kingfisher.docx'), docxFile(body));
    const data = ['--data-dir', join(dir.path, 'data'), '--port', '0', '--no-sample'];
    const child = spawn(
      process.execPath,
      ['--import', TELL, '-C', 'quarry', 'scripts/start.ts', ...data],
      {
        cwd: ROOT,
        env: { ...childEnvironment(), QUARRY_API_KEY: TEST_KEY, QUARRY_LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(child, 'exit');
    let shown = '';
    child.stdout.on('data', (text) => {
      shown += text;
    });
    const address = await until(() => /ready at (http:\S+)/.exec(shown)?.[1]);
    assert.match(shown, /^loaded \S+\/packages\/server\/bundle-\w+\/main\.js$/m);
    const call = async (path: string, sent: object) => {
      const response = await fetch(`${address}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
      const text = await response.text();
      assert.ok(response.ok, text);
      return JSON.parse(text);
    };
    await call('/v1/collections', { name: 'Papers', readable_id: 'papers' });
    await call('/v1/source-connections', {
      name: 'Papers',
      short_name: 'files',
      readable_collection_id: 'papers',
      config: { path: folder },
    });
    for (const bird of ['heron', 'kingfisher']) {
      const found = await until(async () => {
        const { results } = await call('/v1/collections/papers/search', { query: bird });
        return results.length === 2 ? results : undefined;
      });
      assert.match(JSON.stringify(found[0]), new RegExp(`"${bird}\\.`));
    }
    const page = await fetch(address, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<div id="root">/);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });
});
