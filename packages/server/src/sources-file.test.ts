import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { readSourcesFile } from './sources-file.ts';

describe('QUARRY_SOURCES_FILE', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-sources-'));
  });
  after(() => rmSync(dir, { recursive: true }));

  function file(content: unknown): string {
    const path = join(dir, 'sources.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }
  const refuses = (content: unknown, message: RegExp) => {
    const path = file(content);
    const env = { QUARRY_SOURCES_FILE: path };
    assert.throws(() => readConfig(env), message);
    assert.throws(() => readConfig(env), new RegExp(`^Error: QUARRY_SOURCES_FILE: ${path}`));
  };

  it('[AUTH-30] is read together with the other settings', () => {
    const linear = {
      client_id: 'id',
      client_secret: 'secret',
      authorize_url: 'http://127.0.0.1:4000/authorize?tenant=a',
      token_url: 'https://example.com/token',
      base_url: 'https://example.com/api',
    };
    const path = file({ linear, github: { enabled: false } });
    assert.deepEqual(readConfig({ QUARRY_SOURCES_FILE: path }).sourcesFile, {
      linear: { ...linear, enabled: true },
      github: { enabled: false },
    });
    assert.deepEqual(readConfig({}).sourcesFile, {});
  });

  it('stops the start with an error that names the faulty place, and not its value', () => {
    const url = /linear\.token_url use https:/;
    refuses({ linear: { token_url: 'http://example.com/secret-path' } }, url);
    refuses({ linear: { token_url: 'https://me:secret@example.com' } }, url);
    refuses({ linear: { token_url: 'secret' } }, url);
    refuses({ linear: { base_url: 'https://example.com/#secret' } }, /linear\.base_url use https:/);
    refuses(
      { linear: { clientId: 'secret' } },
      /linear\.clientId is not a setting of a source: they are client_id,/,
    );
    refuses(
      { linear: { client_secret: 'secret' } },
      /linear\.client_secret is there without client_id/,
    );
    refuses({ linear: { enabled: 'yes' } }, /linear\.enabled .*expected boolean/);
    refuses([], /the file .*expected record/);
    refuses('{"linear": {"client_secret": "secret}', /is not JSON: correct it$/);
    const missing = join(dir, 'missing.json');
    assert.throws(() => readSourcesFile(missing), /missing\.json cannot be read \(ENOENT/);
    for (const content of ['{"a": secret', { linear: { token_url: 'http://secret' } }])
      assert.throws(
        () => readSourcesFile(file(content)),
        (error: Error) => !error.message.includes('secret'),
      );
  });
});
