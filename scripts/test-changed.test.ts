import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reaching, readImporters } from './test-changed.ts';

describe('tests of what has changed', () => {
  it('are those that reach a changed file, over any number of imports and in circles', () => {
    const importers = new Map([
      ['leaf', ['middle', 'circle']],
      ['circle', ['leaf']],
      ['middle', ['one.test']],
      ['other', ['two.test']],
    ]);
    const tests = ['one.test', 'two.test', 'three.test'];
    assert.deepEqual(reaching(['leaf'], tests, importers), ['one.test']);
    assert.deepEqual(reaching(['three.test', 'other'], tests, importers), [
      'two.test',
      'three.test',
    ]);
    assert.deepEqual(reaching(['elsewhere'], tests, importers), []);
  });

  it('are found through modules, packages of ours and entries of processes', () => {
    const importers = readImporters();
    const importersOf = (file: string) => importers.get(file) ?? [];
    const server = 'packages/server/src';
    assert.ok(importersOf('scripts/test-changed.ts').includes('scripts/test-changed.test.ts'));
    assert.ok(importersOf('packages/mcp/src/server.ts').some((file) => file.startsWith(server)));
    const child = importersOf(`${server}/transformers/child.ts`);
    assert.ok(child.includes(`${server}/transformers/functions.ts`), child.join());
  });
});
