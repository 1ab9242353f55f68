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

  it('is UTF-8 even if a few of its characters are damaged', () => {
    const damaged = Buffer.concat([utf8('Grüße aus Köln'), Buffer.from([0xe9]), utf8('!')]);
    assert.equal(decodeText(damaged), 'Grüße aus Köln\uFFFD!');
    const mostlyLatin1 = Buffer.concat([utf8('ü'), Buffer.from('café, né', 'latin1')]);
    assert.equal(decodeText(mostlyLatin1), 'Ã¼café, né');
  });

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

  it('may have characters from U+0080 on, which Windows-1252 has become by mistake', () => {
    assert.equal(decodeText(utf8('It\u0092s here')), 'It\u0092s here');
    assert.equal(decodeText(Buffer.from('\x93x\x94', 'latin1'), 'iso-8859-15'), '\u0093x\u0094');
  });

  it('may have one control character, however short it is', () => {
    assert.equal(decodeText(utf8('done\0')), 'done');
    assert.equal(decodeText(Buffer.from('caf\xe9\x9d', 'latin1')), 'café\u009d');
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
    'deleted characters': utf8(`${'x'.repeat(10)}\x7f\x7f`),
  }))
    it(`is ${what}`, () => assert.equal(decodeText(bytes), null));

  it('has more than two control characters in a hundred', () => {
    assert.notEqual(decodeText(utf8(`${'x'.repeat(98)}\x01\x02`)), null);
    assert.equal(decodeText(utf8(`${'x'.repeat(97)}\x01\x02\x07`)), null);
    assert.equal(decodeText(utf8(`${'x'.repeat(9_799)}${'\x01'.repeat(201)}`)), null);
  });

  for (const code of [0x07, 0x0e, 0x1a, 0x1c, 0x1f, 0x7f])
    it(`has control characters such as 0x${code.toString(16)}`, () =>
      assert.equal(decodeText(Buffer.from([code, code])), null));
  for (const code of [0x81, 0x8d, 0x8f, 0x90, 0x9d])
    it(`has bytes that are not letters of Windows-1252, such as 0x${code.toString(16)}`, () =>
      assert.equal(decodeText(Buffer.from([code, code])), null));
  for (const code of [0x08, 0x0d, 0x1b, 0x20, 0x7e, 0x80, 0x85, 0x9f, 0xa0])
    it(`is not recognized by 0x${code.toString(16)}`, () =>
      assert.notEqual(decodeText(utf8(String.fromCharCode(code, code))), null));
});
