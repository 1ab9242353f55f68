import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import pino from 'pino';
import { z } from 'zod';
import { SourceError } from '../errors.ts';
import { stub, upsert } from '../sources/items.ts';
import { openHttp } from '../sources/kit/http.ts';
import { eachOf } from '../sources/kit/listing.ts';
import { NO_SPAN } from '../telemetry/trace.ts';
import { anywhere, unlimited } from '../test/environment.ts';
import { type Cloud, cloudNotes, openCloud, settingsOf } from '../test/rate-limits/cloud.ts';
import { openUnsaved } from './open-source.ts';

describe('an opened source', () => {
  let cloud: Cloud;
  let parent = '';
  let lines: { msg: string }[];
  beforeEach(async () => {
    lines = [];
    parent = mkdtempSync(join(tmpdir(), 'opened-'));
    cloud = await openCloud({ notes: 4 });
  });
  afterEach(async () => {
    await cloud.close();
    rmSync(parent, { recursive: true, force: true });
  });

  function open() {
    const { config, authentication } = settingsOf(cloud);
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const environment = { ...anywhere, downloadsFolder: parent };
    return openUnsaved(
      { environment, rateLimiter: unlimited, log },
      {
        organizationId: 'acme',
        connectionId: null,
        source: cloudNotes(),
        config,
        ...authentication,
      },
      {
        signal: new AbortController().signal,
        meter: { requests: 0, bytes: 0 },
        mayWait: true,
        span: NO_SPAN,
      },
    );
  }

  it('stops its other reads when it is closed, and removes what they have downloaded', async () => {
    const reads: Promise<unknown>[] = [];
    const failed = Promise.withResolvers<void>();
    let asked = 0;
    const isClosed = Promise.withResolvers<void>();
    const work = async () => {
      await using opened = open();
      const { context } = opened;
      const http = openHttp(context, { baseUrl: cloud.baseUrl });
      const ask = (path: string) => http.json({ path }, z.object({}));
      const stubs = ['0', '1', '2', '3'].map((id) => stub(id, 'Note', { version: '1' }));
      const read = async (id: string) => {
        await ask(`note/${id}`);
        if (++asked === stubs.length) failed.resolve();
        await failed.promise;
        if (id === '0') throw new SourceError('fatal', 'it cannot go on');
        await isClosed.promise;
        await assert.rejects(context.downloads.newPath(), /the source is closed/);
        await ask(`note/${id}`);
      };
      await context.downloads.newPath();
      const items = eachOf(stubs, stubs.length, ({ id, type }) => {
        const reading = read(id);
        reads.push(reading);
        return reading.then(() => upsert({ id, type, name: id, text: '', fields: {} }));
      });
      for await (const item of items) assert.fail(JSON.stringify(item));
    };
    await assert.rejects(work(), { message: 'it cannot go on' });
    isClosed.resolve();
    const outcomes = await Promise.allSettled(reads);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : '')),
      ['it cannot go on', ...Array(3).fill('the source is closed')],
    );
    assert.equal(cloud.arrivals.length, 4);
    assert.deepEqual(lines, []);
  });

  it('passes on the error of the work when downloaded files cannot be removed, and logs the other', async () => {
    let path = '';
    const work = async () => {
      await using opened = open();
      const { downloads } = opened.context;
      path = await downloads.newPath();
      throw new SourceError('transient', 'the network broke');
    };
    const busy = mock.method(fs, 'rm', () => Promise.reject(new Error('EBUSY')));
    syncBuiltinESMExports();
    try {
      await assert.rejects(work(), { name: 'SourceError', kind: 'transient' });
    } finally {
      busy.mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal(existsSync(dirname(path)), true);
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['downloaded files could not be removed'],
    );
  });
});
