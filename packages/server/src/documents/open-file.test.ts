import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { openFile } from './open-file.ts';

// Nothing is mapped at the beginning of the memory of a process, so reading it fails as a damaged disk does.
describe('a file on a damaged disk', { skip: process.platform !== 'linux' }, () => {
  const damaged = { kind: 'skip', message: 'the file cannot be read: EIO' };

  it('gives an error about the file', async () => {
    await using file = await openFile('/proc/self/mem');
    await assert.rejects(file.read(Buffer.alloc(10), 0), damaged);
    await assert.rejects(buffer(file.blocks()), damaged);
  });
});
