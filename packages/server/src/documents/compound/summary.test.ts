import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { readCompound } from './file.ts';
import { aboutOf } from './summary.ts';

const [CODE_PAGE, TITLE, AUTHOR, LAST_AUTHOR, CREATED, MODIFIED] = [1, 2, 4, 8, 12, 13];

const short = (value: number): Buffer => Buffer.from([2, 0, 0, 0, value % 256, value >> 8, 0, 0]);
/** Each character is a byte. */
function text(value: string): Buffer {
  const bytes = Buffer.alloc(8 + value.length + 1);
  bytes.writeUInt32LE(30, 0);
  bytes.writeUInt32LE(value.length + 1, 4);
  bytes.write(value, 8, 'latin1');
  return bytes;
}
/** This is a FILETIME. An empty text is a time that the program has not known. */
function time(iso: string): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(64, 0);
  if (iso !== '')
    bytes.writeBigUInt64LE((BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n, 4);
  return bytes;
}

function aboutWith(values: readonly (readonly [number, Buffer])[]) {
  const head = Buffer.alloc(8 + 8 * values.length);
  head.writeUInt32LE(values.length, 4);
  let at = head.length;
  for (const [i, [number, value]] of values.entries()) {
    head.writeUInt32LE(number, 8 + 8 * i);
    head.writeUInt32LE(at, 12 + 8 * i);
    at += value.length;
  }
  const first = Buffer.alloc(48);
  first.writeUInt32LE(48, 44);
  const stream = Buffer.concat([first, head, ...values.map(([, value]) => value)]);
  return aboutOf(readCompound(compoundFile({ '\u0005SummaryInformation': stream })));
}

describe('the summary of an old Office document', () => {
  it('has the title, the author and both times', () =>
    assert.deepEqual(
      aboutWith([
        [CODE_PAGE, short(1251)],
        [TITLE, text('\xcc\xee\xf1\xf2')],
        [LAST_AUTHOR, text('Bob')],
        [AUTHOR, text('Ann')],
        [MODIFIED, time('2025-03-04T10:00:00Z')],
        [CREATED, time('2025-03-03T09:00:00Z')],
      ]),
      {
        title: 'Мост',
        author: 'Ann',
        created_at: '2025-03-03T09:00:00.000Z',
        modified_at: '2025-03-04T10:00:00.000Z',
      },
    ));

  it('says no time that is unknown, and no value of another type', () =>
    assert.deepEqual(
      aboutWith([
        [TITLE, short(7)],
        [AUTHOR, text('')],
        [CREATED, time('')],
        [MODIFIED, text('2025-03-04 10:00')],
      ]),
      {},
    ));
});
