import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText } from './plain.ts';

const utf8 = (text: string) => Buffer.from(text);

describe('text', () => {
  it('is UTF-8 if possible, without a byte order mark', () => {
    assert.equal(decodeText(utf8('naïve 日本')), 'naïve 日本');
    assert.equal(decodeText(utf8('\uFEFFnaïve')), 'naïve');
  });

  it('is UTF-16 with a byte order mark', () => {
    const little = Buffer.from('\uFEFFnaïve 日本', 'utf16le');
    assert.equal(decodeText(little), 'naïve 日本');
    assert.equal(decodeText(Buffer.from(little).swap16()), 'naïve 日本');
  });

  it('is Windows-1252 if it cannot be UTF-8', () =>
    assert.equal(decodeText(Buffer.from('na\xefve \x93x\x94', 'latin1')), 'naïve “x”'));

  it('keeps a last byte that could start a longer character', () =>
    assert.equal(decodeText(Buffer.from('caf\xe9', 'latin1')), 'café'));

  it('is UTF-8 even if it was cut within a character', () =>
    assert.equal(decodeText(utf8('naïve 日本').subarray(0, -1)), 'naïve 日'));

  it('is in the given encoding, unless it has a byte order mark', () => {
    assert.equal(decodeText(Buffer.from('\x93\xfa\x96\x7b', 'latin1'), 'shift_jis'), '日本');
    assert.equal(decodeText(utf8('\uFEFFnaïve'), 'shift_jis'), 'naïve');
  });

  it('has one kind of line break', () =>
    assert.equal(decodeText(utf8('a\r\nb\rc\n\r\nd')), 'a\nb\nc\n\nd'));

  it('has neither NUL nor unpaired surrogates', () => {
    assert.equal(decodeText(utf8(`${'x'.repeat(99)}\0y`)), `${'x'.repeat(99)}y`);
    assert.equal(decodeText(Buffer.from('\uFEFFa\uD800b', 'utf16le')), 'a\uFFFDb');
  });

  it('may be empty', () => assert.equal(decodeText(utf8('')), ''));

  it('may have the control sequences of a terminal', () =>
    assert.equal(decodeText(utf8('\x1b[31mred\x1b[0m\t\f\b\x0b')), '\x1b[31mred\x1b[0m\t\f\b\x0b'));
});

describe('binary content', () => {
  for (const [what, bytes] of Object.entries({
    'random bytes': Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 2654435761) >>> 24)),
    'an executable': Buffer.concat([utf8('\x7fELF'), Buffer.alloc(60), utf8('.text .data')]),
    'UTF-16 without a byte order mark': Buffer.from('plain words', 'utf16le'),
    'Windows-1252 with what it has no letters for': Buffer.from('ab\x81\x8d\xff', 'latin1'),
    'deleted characters': utf8(`${'x'.repeat(10)}\x7f`),
  }))
    it(`is ${what}`, () => assert.equal(decodeText(bytes), null));

  it('has more than two control characters in a hundred', () => {
    assert.notEqual(decodeText(utf8(`${'x'.repeat(98)}\x01\x02`)), null);
    assert.equal(decodeText(utf8(`${'x'.repeat(97)}\x01\x02\x07`)), null);
    assert.equal(decodeText(utf8(`${'x'.repeat(9_799)}${'\x01'.repeat(201)}`)), null);
  });

  for (const code of [0x07, 0x0e, 0x1a, 0x1c, 0x1f, 0x7f, 0x80, 0x84, 0x86, 0x9f])
    it(`has control characters such as 0x${code.toString(16)}`, () =>
      assert.equal(decodeText(utf8(String.fromCharCode(code))), null));
  for (const code of [0x08, 0x0d, 0x1b, 0x20, 0x7e, 0x85, 0xa0])
    it(`is not recognized by 0x${code.toString(16)}`, () =>
      assert.notEqual(decodeText(utf8(String.fromCharCode(code))), null));
});
