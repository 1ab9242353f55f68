import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Settings } from '../packages/server/src/config.ts';
import { SECRET_SETTINGS } from '../packages/server/src/secret-settings.ts';
import { SETTINGS_PAGE, settingsPage } from './settings-text.ts';

describe('docs/settings.md', () => {
  const rows = settingsPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(2, -2)
        .split(/(?<!\\)\|/)
        .map((part) => part.trim()),
    );
  const rowOf = (name: string) => rows.find(([first = '']) => first.startsWith(`\`${name}\``));

  it('agrees with the code: npm run settings-page', () =>
    assert.equal(readFileSync(SETTINGS_PAGE, 'utf8'), settingsPage()));

  it('has one row for each setting, which says whether it is secret', () => {
    const secrets = rows.filter(([name = '']) => name.endsWith('**secret**'));
    const plain = (some: typeof rows) =>
      some.map(([name = '']) => name.replaceAll(/`|<br>.*/g, '')).toSorted();
    assert.deepEqual(plain(rows), Object.keys(Settings.shape).toSorted());
    assert.deepEqual(plain(secrets), [...SECRET_SETTINGS].toSorted());
    for (const [name, what = ''] of rows) assert.match(what, /\.$/, name);
  });

  it('shows defaults as one writes them, the same on every machine', () => {
    assert.equal(rowOf('QUARRY_DATA_DIR')?.[2], '`.quarry`');
    assert.equal(rowOf('QUARRY_PORT')?.[2], '`8099`');
    assert.equal(rowOf('QUARRY_ROLES')?.[2], '`api,worker`');
    assert.equal(rowOf('DATABASE_URL')?.[2], 'none');
    assert.equal(rowOf('QUARRY_LLM')?.[2], 'none');
    assert.match(rowOf('QUARRY_SEARCH_THREADS')?.[2] ?? '', /^half of the processors/);
  });
});
