/** Here the pages of a TIFF are recognized by a function of the test; `test/documents/ocr.test.ts` has the real one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SourceError } from '../../errors.ts';
import { EMPTY_CONTAINER } from '../../test/documents/converted.ts';
import { blank, tiffFile } from '../../test/documents/picture-file.ts';
import type { Ocr } from '../ocr/ocr.ts';
import type { Omission } from '../omission.ts';
import { convert } from './image.ts';

const PAGE = blank(100, 100);
const ICON = blank(40, 40);
const EXHAUSTED: Omission = { reason: 'without text that can be read', detail: 'the limit' };
const SMALL = { reason: 'of a kind without text', detail: 'a picture of 40 × 40 pixels' };
const BROKEN = 'the picture is broken or in a form that cannot be read';

/** The pictures show a number each. `undecodable` are the numbers of those that cannot be decoded. */
function counting({ most = 1000, undecodable = [] as readonly number[] } = {}): Ocr {
  let seen = 0;
  return {
    exhausted: () => (seen >= most ? EXHAUSTED : null),
    recognize: async () =>
      undecodable.includes(++seen)
        ? { is: 'undecodable' }
        : { is: 'text', text: `picture ${seen}` },
  };
}

async function read(file: Uint8Array, ocr = counting()) {
  const leftOut: Record<string, unknown> = {};
  const converted = await convert(file, {
    ...EMPTY_CONTAINER,
    ocr,
    leaveOut: (path, why) => {
      leftOut[path] = why instanceof SourceError ? why.message : why;
    },
  });
  return { converted, leftOut };
}

describe('a TIFF with several pages', () => {
  it('is read behind pages that are too small or broken, and the pages keep their numbers', async () => {
    const file = tiffFile([ICON, PAGE, PAGE, PAGE]);
    assert.deepEqual(await read(file, counting({ undecodable: [2] })), {
      converted: { text: '\n\npicture 1\n\n\n\npicture 3', pages: [0, 2, 13, 15] },
      leftOut: { 'page 1': SMALL, 'page 3': BROKEN },
    });
  });

  it('is read up to the limits, and says which pages are left out', async () => {
    const { converted, leftOut } = await read(tiffFile([PAGE, PAGE, PAGE]), counting({ most: 2 }));
    assert.deepEqual(converted, { text: 'picture 1\n\npicture 2', pages: [0, 11] });
    assert.deepEqual(leftOut, { 'pages from 3': EXHAUSTED });
  });

  it('is left out as a whole when no page can be read', async () => {
    assert.deepEqual(await read(tiffFile([ICON, ICON])), { converted: SMALL, leftOut: {} });
    assert.deepEqual(await read(tiffFile([PAGE]), counting({ most: 0 })), {
      converted: EXHAUSTED,
      leftOut: {},
    });
    await assert.rejects(read(tiffFile([PAGE, ICON]), counting({ undecodable: [1] })), {
      kind: 'skip',
      message: BROKEN,
    });
  });

  it('is not read to the end of a long chain of pages that cannot be read', async () => {
    const { converted, leftOut } = await read(tiffFile([PAGE, ...Array(102).fill(ICON)]));
    assert.ok('pages' in converted && converted.pages?.length === 101);
    assert.equal(Object.keys(leftOut).length, 101);
    assert.deepEqual(leftOut['pages from 102'], {
      reason: 'without text that can be read',
      detail: '100 pages before could not be read',
    });
  });
});
