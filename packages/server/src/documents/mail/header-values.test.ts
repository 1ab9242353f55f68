/** Tests how the values of headers are read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesIn, decodeWords, mainValueOf, parameterOf } from './header-values.ts';

describe('the values of the headers of a message', () => {
  it('may have encoded words of any charset', () => {
    for (const [encoded, decoded] of [
      ['=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=', 'Grüße aus Köln'],
      ['=?UTF-8?B?5Lit5paH?= and =?iso-8859-1?Q?caf=E9?=', '中文 and café'],
      ['=?utf-8?b?5Lit?=\r\n =?utf-8?b?5paH?=', '中文'],
      ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
      ['=?utf-8*en?q?a?=', 'a'],
      ['=?unknown?q?a=20b?=', 'a b'],
      // Some programs divide a character between two words.
      ['=?utf-8?b?ZsM=?= =?UTF-8?B?vHI=?=', 'für'],
      ['=?utf-8?q?f=C3?=\r\n =?utf-8*de?b?vHI=?= =?iso-8859-1?q?=FC?=', 'fürü'],
      ['=?utf-8?Q?John=C2=92s_offer?=', 'John\u0092s offer'],
      ['=?utf-8?q?=07=07?=', '\x07\x07'],
      ['1 =? 2', '1 =? 2'],
    ] as const)
      assert.equal(decodeWords(encoded), decoded);
  });

  it('have parameters, quoted or not', () => {
    const type = 'Text/Plain; format=flowed; Charset="iso-8859-1"; name="a\\"b; x=1"';
    assert.equal(mainValueOf(type), 'text/plain');
    assert.equal(parameterOf(type, 'charset'), 'iso-8859-1');
    assert.equal(parameterOf(type, 'format'), 'flowed');
    assert.equal(parameterOf(type, 'name'), 'a"b; x=1');
    assert.equal(parameterOf(type, 'x'), undefined);
    assert.equal(parameterOf(undefined, 'charset'), undefined);
  });

  it('have long parameters in segments, with their charset', () => {
    for (const [header, name] of [
      ["a; name*=utf-8'de'Gr%C3%BC%C3%9Fe.pdf", 'Grüße.pdf'],
      ["a; name*1*=%FCrich; name*0*=iso-8859-1''Z", 'Zürich'],
      ['a; name*0="long "; name*1="name.pdf"; name=short.pdf', 'long name.pdf'],
      ['a; name=my file (1).pdf; size=3', 'my file (1).pdf'],
      ['a; name*0*=%zz', '%zz'],
      ["a; name*=klingon''a%FC", 'aü'],
      ['a; name="open', ''],
      ['a; name*x=1', undefined],
      ['a; foo; name=ok', 'ok'],
      ['a;; name=ok', 'ok'],
      ['a; ="x;y"; name=ok', 'ok'],
      ['a; __proto__=1; name=ok', 'ok'],
      [`a${'; b=c'.repeat(500)}; name=far`, undefined],
    ] as const)
      assert.equal(parameterOf(header, 'name'), name, header.slice(0, 40));
    assert.equal(parameterOf('"'.repeat(1_000_000), 'name'), undefined);
    assert.equal(parameterOf(';a="'.repeat(1_000_000), 'name'), undefined);
  });

  it('have addresses, which a comma in a name does not divide', () => {
    for (const [header, addresses] of [
      [
        '"Miller, Ann" <ann@example.org>, bob@example.org',
        ['Miller, Ann <ann@example.org>', 'bob@example.org'],
      ],
      [
        'Friends: ann@example.org, Bob <bob@example.org>;',
        ['ann@example.org', 'Bob <bob@example.org>'],
      ],
      ['undisclosed-recipients:;', []],
      ['', []],
      ['"open, ann@example.org', ['open', 'ann@example.org']],
    ] as const)
      assert.deepEqual(addressesIn(header), addresses);
    const many = Array.from({ length: 150 }, (_, i) => `a${i}@example.org`);
    assert.deepEqual(addressesIn(many.join(', ')), many.slice(0, 100));
  });
});
