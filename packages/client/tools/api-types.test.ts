import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { apiTypes, STORED } from './api-types.ts';

describe('the types of the API', () => {
  it('are those of the API (if not: npm run api-types)', async () => {
    assert.ok(readFileSync(STORED, 'utf8') === (await apiTypes()), 'they differ');
  });
});
