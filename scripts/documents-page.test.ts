import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { KINDS } from '../packages/server/src/documents/kinds/table.ts';
import { withTables } from './documents-page.ts';

const page = readFileSync('docs/documents.md', 'utf8');

describe('docs/documents.md', () => {
  it('has the tables of kinds as they are: npm run source-pages', () =>
    assert.equal(page, withTables(page)));

  it('names every kind that is read, with its extensions', () => {
    for (const { what, extensions } of Object.values(KINDS)) {
      const row = page.split('\n').find((line) => line.startsWith(`| ${what} |`)) ?? '';
      for (const extension of extensions.split(' '))
        assert.ok(row.includes(`\`.${extension}\``), `${what}: .${extension}`);
    }
  });

  it('is refused when it has no place for a table', () =>
    assert.throws(() => withTables('# Files'), /has no place for kinds that are read/));
});
