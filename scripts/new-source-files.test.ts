import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newSourceFiles } from './new-source-files.ts';

describe('the files of a new source', () => {
  const files = newSourceFiles('green_post', 'Green Post');
  const sources = 'packages/server/src/sources';

  it('import files that exist', () => {
    for (const [path, text] of files)
      for (const [, target = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
        const imported = join(path, '..', target);
        assert.ok(files.has(imported) || existsSync(imported), `${path} imports ${imported}`);
      }
  });

  it('have nothing of the example but its structure', () => {
    for (const [path, text] of files) assert.doesNotMatch(`${path} ${text}`, /acme/i);
    const source = files.get(`${sources}/catalog/green-post.ts`) ?? '';
    assert.match(source, /export const greenPost = cloudSource\(\{\n {2}shortName: 'green_post'/);
    assert.match(source, /name: 'Green Post'/);
    assert.match(source, /GreenPostNote: z\.object/);
  });

  it('are in the catalog', () => {
    const catalog = files.get(`${sources}/catalog.ts`) ?? '';
    assert.match(catalog, /import \{ greenPost \} from '\.\/catalog\/green-post\.ts';/);
    assert.match(catalog, /gmail, googleDrive, greenPost, imap, .*web\]\.map/);
  });

  it('need a short name of small letters', () => {
    for (const name of ['', 'Green', 'green-post', 'green__post', '_green', '1st', 'a/b'])
      assert.throws(() => newSourceFiles(name), /is not a short name/);
    assert.throws(() => newSourceFiles('a'.repeat(41)), /is not a short name/);
    assert.ok(newSourceFiles('green').size === 4);
  });
});
