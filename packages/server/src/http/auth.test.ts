import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { NO_RIGHTS } from '../context.ts';
import { sha256 } from '../model/hash.ts';
import { createAuthentication, type FoundKey, type KeyDirectory } from './auth.ts';

const key: FoundKey = {
  ...NO_RIGHTS,
  id: 'k',
  name: 'Key',
  role: 'admin',
  membership: 'admin',
  lastUsedAt: null,
  account: { id: 'a', email: 'a@b.c' },
  organization: { id: 'o', features: new Set(), quotas: {} },
};

/** This directory has one key. A write of its last-used time ends when the test ends it. */
function directoryOf(found: Partial<FoundKey> = {}) {
  const notes: { keyId: string; at: number; end: PromiseWithResolvers<void> }[] = [];
  const directory: KeyDirectory = {
    find: async (hash) => (hash === sha256('secret') ? { ...key, ...found } : undefined),
    administered: async () => undefined,
    noteUse(keyId, at) {
      const end = Promise.withResolvers<void>();
      notes.push({ keyId, at, end });
      return end.promise;
    },
  };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  return { notes, lines, ...createAuthentication(directory, log) };
}

describe('authentication', () => {
  it('[KEY-07] the last-used time is written in the background, by one write at a time', async () => {
    const { authenticate, settled, notes } = directoryOf();
    const before = Date.now();
    await authenticate('secret', undefined);
    await authenticate('secret', undefined);
    assert.equal(notes.length, 1);
    assert.equal(notes[0]?.keyId, 'k');
    assert.ok((notes[0]?.at ?? 0) >= before);
    let over = false;
    const end = settled().then(() => {
      over = true;
    });
    await Promise.resolve();
    assert.equal(over, false);
    notes[0]?.end.resolve();
    await end;
    await authenticate('secret', undefined);
    assert.equal(notes.length, 2);
  });

  it('[KEY-07] a failed write of the last-used time is only logged', async () => {
    const { authenticate, settled, notes, lines } = directoryOf();
    await authenticate('secret', undefined);
    notes[0]?.end.reject(new Error('disk full'));
    await settled();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /the use of a key was not noted/);
  });

  it('[KEY-07] the last-used time is not written again within a minute', async () => {
    const recent = directoryOf({ lastUsedAt: Date.now() - 59_000 });
    await recent.authenticate('secret', undefined);
    assert.equal(recent.notes.length, 0);
    const older = directoryOf({ lastUsedAt: Date.now() - 60_000 });
    await older.authenticate('secret', undefined);
    assert.equal(older.notes.length, 1);
  });

  it('[KEY-07] a refused key gets no last-used time', async () => {
    const { authenticate, notes } = directoryOf({ expiresAt: Date.now() });
    await assert.rejects(authenticate('secret', undefined), { status: 401 });
    await assert.rejects(authenticate('another', undefined), { status: 401 });
    assert.equal(notes.length, 0);
  });

  it('[KEY-21] [KEY-32] all_organizations ends when its account is no longer an admin', async () => {
    const found = { role: 'admin', allOrganizations: true } as const;
    const rightOf = async (membership: 'admin' | 'member') =>
      (await directoryOf({ ...found, membership }).authenticate('secret', undefined))
        .allOrganizations;
    assert.deepEqual([await rightOf('admin'), await rightOf('member')], [true, false]);
  });

  for (const [role, membership, lesser] of [
    ['admin', 'read', 'read'],
    ['read', 'admin', 'read'],
    ['member', 'admin', 'member'],
    ['admin', 'member', 'member'],
  ] as const)
    it(`[KEY-21] a ${role} key of an account that is ${membership} counts as ${lesser}`, async () => {
      const who = await directoryOf({ role, membership }).authenticate('secret', undefined);
      assert.equal(who.role, lesser);
    });
});
