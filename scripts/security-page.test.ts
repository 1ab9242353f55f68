import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const SRC = 'packages/server/src';

describe('SECURITY.md', () => {
  const rows = readFileSync('SECURITY.md', 'utf8')
    .split('## Threats')[1]
    ?.split('\n')
    .filter((line) => /^\| (?!threat |---)/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
  assert.ok(rows && rows.length >= 25);

  for (const [threat = '', holds = '', test = ''] of rows)
    it(`names a test that exists: ${threat}`, () => {
      assert.match(threat, /\.$/);
      assert.match(holds, /\.$/);
      const [, file = '', title = ''] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(test) ?? [];
      const path = join(SRC, file);
      assert.ok(existsSync(path), `${path} does not exist`);
      const titles = readFileSync(path, 'utf8').match(/\b(?:it|test)\(\s*(['"`]).*?\1\s*,/gs) ?? [];
      assert.ok(
        titles.some((one) => one.includes(title)),
        `${path} has no test with the title '${title}'`,
      );
    });
});
