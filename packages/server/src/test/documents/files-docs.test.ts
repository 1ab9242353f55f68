/** Tests that docs/sources/files.md shows the lists of files that the files source leaves out. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BY_SIBLINGS, DATA, OTHERS, SECRETS } from '../../documents/left-out/left-out.ts';

const DOC = fileURLToPath(new URL('../../../../../docs/sources/files.md', import.meta.url));
const page = readFileSync(DOC, 'utf8');
const lists = page.slice(page.indexOf('\n## The lists\n'));

const words = (text: string): string[] => text.trim().split(/\s+/).filter(Boolean);
const shown = (patterns: string): string[] => words(patterns.replaceAll(DATA, 'DATA'));

describe('docs/sources/files.md', () => {
  it('[CON-41] says what `DATA` stands for in the lists', () =>
    assert.ok(lists.includes(`\`DATA\` for \`${DATA}\``)));

  it('[CON-41] shows every group of left-out names, with its reason', () => {
    const blocks = [...lists.matchAll(/^(Left out as .*) \((.*)\):\n\n```text\n([\s\S]*?)^```$/gm)];
    assert.deepEqual(
      blocks.map(([, reason = '', detail, text = '']) => [
        reason.replace('Left', 'left'),
        detail,
        words(text),
      ]),
      [...SECRETS, ...OTHERS].map(({ reason, detail, files = '', folders = '' }) => [
        reason,
        detail,
        [...shown(files), ...shown(folders).map((name) => `${name}/`)],
      ]),
    );
  });

  it('[CON-41] shows the folders with ordinary names, and which files beside them cause the exclusion', () => {
    const rows = [...lists.matchAll(/^\| (`.*`) \| (`.*`) \| (.*) \|$/gm)];
    assert.deepEqual(
      rows.map(([, folders = '', files = '', reason]) => [
        words(folders.replaceAll('`', '')),
        words(files.replaceAll('`', '')),
        `left out as ${reason}`,
      ]),
      BY_SIBLINGS.map(({ folders, files, reason }) => [
        words(folders).map((name) => `${name}/`),
        words(files),
        reason,
      ]),
    );
  });
});
