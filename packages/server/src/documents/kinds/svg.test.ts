import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { converted, convertedFile } from '../../test/documents/converted.ts';
import { convert } from './svg.ts';

const read = (body: string) =>
  converted(convert, Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`));
const leftOut = async (content: string | Uint8Array) => {
  const outcome = await convertedFile('svg', 'a.svg', Buffer.from(content));
  return outcome.is === 'skip' ? outcome.omission.reason : outcome.is;
};

describe('a drawing', () => {
  it('has its title, its descriptions and its words in the order of the file', async () =>
    assert.deepEqual(
      await read(
        '<title>Plan</title><g><text x="1">The <tspan>her</tspan>on<tspan x="2">waits</tspan><tspan y="3">for</tspan><tspan dy="1em">fish</tspan></text>' +
          '<desc># grey &amp; tall</desc><foreignObject><p>one</p><p>two</p></foreignObject>' +
          '<text><textPath href="#p">round</textPath></text><g><title>Bird</title></g></g>',
      ),
      {
        text: '# Plan\n\nThe heron waits for fish\n\n\\# grey & tall\n\none two\n\nround\n\nBird',
        about: { title: 'Plan' },
      },
    ));

  it('has no styles, scripts and metadata', async () =>
    assert.deepEqual(
      await read(
        '<style>a{}</style><script>x()</script><metadata><title>no</title></metadata>' +
          '<text>yes<style>b{}</style></text>',
      ),
      { text: 'yes' },
    ));

  it('is read as a web page when it is one', async () =>
    assert.deepEqual(
      await converted(
        convert,
        Buffer.from('<!DOCTYPE HTML>\n<html><body><p>Herons.</p></body></html>'),
      ),
      { text: 'Herons.' },
    ));

  it('may be packed', async () =>
    assert.deepEqual(await converted(convert, gzipSync('<svg><text>yes</text></svg>')), {
      text: 'yes',
    }));

  it('without words is left out', async () => {
    const reason = 'without text that can be read';
    for (const source of ['<svg><path d="M0 0"/></svg>', '<svg><text> </text></svg>', '', 'text'])
      assert.equal(await leftOut(source), reason, source);
    assert.equal(await leftOut(gzipSync('<svg/>')), reason);
    assert.equal(await leftOut(Buffer.alloc(500, 1)), 'binary');
  });

  it('is not unpacked beyond the limits', async () => {
    assert.equal(await leftOut(gzipSync(Buffer.alloc(300_000_000))), 'too large');
    assert.equal(await leftOut(gzipSync(Buffer.alloc(10_000_000))), 'broken');
  });
});
