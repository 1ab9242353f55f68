/** Tests that docs/documents.md shows the kinds of files that are not read yet. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { NOT_READ } from '../../documents/not-read.ts';

const page = readFileSync(new URL('../../../../../docs/documents.md', import.meta.url), 'utf8');

describe('docs/documents.md', () => {
  it('shows every kind of file that is not read yet, with a way to make it readable', () => {
    const rows = [...page.matchAll(/^\| ([^|`]+) \| (`\.[^|]+`) \| ([A-Z][^|]+\.) \|$/gm)];
    assert.deepEqual(
      rows.map(([, what, extensions, hint]) => ({ what, extensions, hint })),
      NOT_READ.map(({ what, extensions, hint }) => ({
        what,
        extensions: extensions
          .split(' ')
          .map((extension) => `\`.${extension}\``)
          .join(' '),
        hint,
      })),
    );
  });
});
