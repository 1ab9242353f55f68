/** Runs the suite that every source passes for the files source. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { files } from '../../sources/catalog/files.ts';
import { testSource } from './harness.ts';

testSource(files, async () => {
  const path = mkdtempSync(join(tmpdir(), 'quarry-files-'));
  mkdirSync(join(path, 'sub'));
  for (const name of ['a.md', 'b.txt', 'sub/c.md', 'sub/ü.html'])
    writeFileSync(join(path, name), `about ${name}`);
  return {
    config: { path },
    wrong: [
      {
        name: 'folder',
        config: { path: join(path, 'nothing') },
        kind: 'config',
        says: /nothing does not exist$/,
      },
      {
        name: 'a file in place of a folder',
        config: { path: join(path, 'a.md') },
        kind: 'config',
        says: /a\.md is a file/,
      },
    ],
    async close() {
      rmSync(path, { recursive: true });
    },
  };
});
