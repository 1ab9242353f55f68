import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compoundFile } from '../../test/documents/compound-file.ts';
import { converted } from '../../test/documents/converted.ts';
import { damaged } from '../../test/documents/damaged.ts';
import { pptFile } from '../../test/documents/ppt-file.ts';
import { convertFile } from '../convert-file.ts';
import { convert } from './ppt.ts';

const TITLE = 0;
const BODY = 1;
const OTHER = 4;

const FILE = pptFile([
  {
    outline: [
      { type: TITLE, text: 'Bridges of\u000bKöln' },
      { type: BODY, text: 'First – 12 €\rSecond: Москва\r' },
    ],
    boxes: [
      { type: OTHER, text: '# A box' },
      { type: OTHER, text: '*' },
    ],
    notes: 'Say hello first.\rThen begin.',
  },
  { boxes: [{ type: OTHER, text: 'Only a box' }] },
  {},
]);

describe('a binary presentation', () => {
  it('has a heading for each slide, its texts and notes, and says where each slide begins', async () => {
    const text = `## Bridges of Köln

- First – 12 €
- Second: Москва

\\# A box

Notes:

Say hello first.
Then begin.

## Slide 2

Only a box

## Slide 3`;
    assert.deepEqual(await converted(convert, FILE), {
      text,
      pages: [0, text.indexOf('## Slide 2'), text.indexOf('## Slide 3')],
      places: ['slide 1', 'slide 2', 'slide 3'],
      about: {},
    });
  });

  it('that is broken or protected is refused with a reason', async () => {
    for (const [bytes, reason] of [
      [pptFile([], { token: 0xf3d1c4df }), 'the presentation is protected by a password'],
      [
        compoundFile({ Workbook: Buffer.alloc(9) }),
        'the file is broken or is not a presentation of PowerPoint',
      ],
      [Buffer.from('Hello'), 'the file is broken or is not an Office document'],
    ] as const)
      await assert.rejects(converted(convert, bytes), { message: reason });
    assert.equal((await converted(convert, pptFile([]))).text, '');
  });

  it('does no harm when it is damaged anywhere', { timeout: 60_000 }, async () => {
    for (const file of damaged(FILE, 2000)) {
      const outcome = await convertFile('ppt', 'a.ppt', file);
      assert.ok(['text', 'broken', 'skip'].includes(outcome.is));
    }
  });

  it('whose slides are all the same long one is read within limits', {
    timeout: 60_000,
  }, async () => {
    const long = { boxes: [{ type: OTHER, text: 'x '.repeat(1_500_000) }] };
    const outcome = await convertFile('ppt', 'a.ppt', pptFile([long], { times: 4 }));
    assert.ok(outcome.is === 'skip' && outcome.omission.reason === 'with too much text');
    const junk = { boxes: Array(100_000).fill({ type: OTHER, text: '' }) };
    const often = await convertFile('ppt', 'a.ppt', pptFile([junk], { times: 10_000 }));
    assert.equal(often.is, 'text');
  });
});
