import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { systemFacts } from './facts.ts';

const embedder = { model: 'quarry-static-256-v1', isBuiltIn: true, dimensions: 256 };
const commandLineWith = (env: Record<string, string>) =>
  systemFacts(readConfig(env), embedder).commandLine;

describe('the beginning of a command', () => {
  it('is that of a clone with the usual data', () => {
    assert.equal(commandLineWith({}), 'npm run --silent quarry --');
    assert.equal(
      commandLineWith({ QUARRY_DATA_DIR: resolve('.quarry') }),
      'npm run --silent quarry --',
    );
  });

  it('is not known where a command would find no service, or no key', () => {
    for (const env of [
      { QUARRY_DATA_DIR: '/srv/quarry' },
      { QUARRY_API_KEY: `quarry_${'0'.repeat(43)}` },
      { DATABASE_URL: 'postgres://localhost/quarry' },
    ])
      assert.equal(commandLineWith(env), null, JSON.stringify(env));
  });
});
