import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { takesAtMost } from '../../test/processor-time.ts';
import { isIban, isLuhn } from './numbers.ts';
import { moved, withLabels } from './spans.ts';
import { KINDS, redactText, spansOf } from './text.ts';

/** Each key is the label that must replace the texts below it. */
const GOES: Record<string, string[]> = {
  '[card number]': [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111\u00a01111\u00a01111\u00a01111',
    '4111 1111\n1111 1111',
    '378282246310005',
    '3782 822463 10005',
    '5555555555554444',
    '6011 1111 1111 1117',
    '30569309025904',
    '4222222222222',
    '6304000000000000000',
    '4111 1111\u00a01111 1111',
  ],
  '[IBAN]': [
    'DE89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'de89 3704 0044 0532 0130 00',
    'GB82 WEST 1234 5698 7654 32',
    'FR14 2004 1010 0505 0001 3M02 606',
    'NO93 8601 1117 947',
  ],
  '[e-mail address]': [
    'ann@example.org',
    'ann.b+tag@mail.example.co.uk',
    'jörg.müller@übung.example',
    'a_b-c%d@x-y.example',
  ],
  '[phone number]': [
    '+49 30 901820',
    '+49 (0)30 90 18 20',
    '+1 415-555-0132',
    '0041 44 668 18 00',
    '(415) 555-0132',
    '415-555-0132',
    '415.555.0132',
    '030/901820',
    '0171 1234567',
  ],
  '[secret]': [
    'AKIAIOSFODNN7EXAMPLE',
    'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
    'github_pat_11ABCDEFG0123456789_abcdefghij',
    'xoxb-123456789012-abcdefghijkl',
    'sk-proj-abcdefghijklmnopqrstuvwx',
    ['sk', 'live', 'abcdefghijklmnopqrstuvwx'].join('_'),
    `AIza${'x'.repeat(35)}`,
    `quarry_${'k'.repeat(43)}`,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\n-----END RSA PRIVATE KEY-----',
  ],
};
const STAYS = [
  '4111111111111112',
  'order 1234567890123456',
  '41111111111111111111111111111111',
  'DE89370400440532013001',
  'XX89370400440532013000',
  'ann at example',
  '@example.org',
  '2026-11-21 21:38:40',
  'version 10.4.0.1',
  '192.168.17.254',
  '1,234,567.89',
  'ISBN 978-3-16-148410-0',
  '0e1f7a52-6d3b-5c1e-8f27-0b6f3f6a1d01',
  'in 1998, 1999, 2000 and 2001',
  'skeleton keys and ghp',
  '550 8400 12',
];

describe('redaction', () => {
  for (const [label, texts] of Object.entries(GOES))
    for (const text of texts)
      it(`puts ${label} in the place of ${JSON.stringify(text).slice(0, 40)}`, () => {
        assert.equal(redactText(text), label);
        assert.equal(redactText(`Paid with ${text}, thank you.`), `Paid with ${label}, thank you.`);
        assert.equal(redactText(`(${text})`), `(${label})`);
        assert.equal(redactText(`${text}\n\nand ${text}`), `${label}\n\nand ${label}`);
      });

  for (const text of STAYS)
    it(`does not change ${text}`, () =>
      assert.equal(redactText(`It is ${text} here.`), `It is ${text} here.`));

  it('keeps the name of a secret and replaces its value', () => {
    assert.equal(redactText('password: hunter22'), 'password: [secret]');
    assert.equal(redactText('"api_key": "abcdef123456"'), '"api_key": "[secret]"');
    assert.equal(redactText('DB_PASSWORD=hunter22 next'), 'DB_PASSWORD=[secret] next');
    assert.equal(redactText('postgres://bob:hunter22@db.example/x'), 'postgres://[secret]/x');
  });

  it('finds a card number among other numbers', () => {
    assert.equal(redactText('12 4111 1111 1111 1111 99'), '12 [card number] 99');
    assert.equal(redactText('a4111111111111111b'), 'a[card number]b');
  });

  it('leaves the numbers of tables alone, of which one in ten has the checksum of a card', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const table = (cell: () => string) =>
      Array.from({ length: 2000 }, () => Array.from({ length: 10 }, cell).join(' ')).join('\n');
    for (const cell of [
      () => (random() * 1000).toFixed(4),
      () => String(random()),
      () => String(100 + Math.floor(random() * 900)),
      () => String(Math.floor(random() * 10)),
    ]) {
      const numbers = table(cell);
      assert.equal(redactText(numbers, ['card']), numbers);
    }
    const card = '4111 1111 1111 1111';
    assert.equal(
      redactText(`1234.5 ${card} 9.25\n${card}`),
      '1234.5 [card number] 9.25\n[card number]',
    );
  });

  it('replaces only the given kinds', () => {
    const text = 'ann@example.org 4111111111111111';
    assert.equal(redactText(text, ['card']), 'ann@example.org [card number]');
    assert.equal(redactText(text, ['email']), '[e-mail address] 4111111111111111');
  });

  it('changes nothing in a redacted text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...Object.values(GOES).flat(), ...STAYS, ' ', '\n', ', ', ' and '),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redactText(pieces.join(' '));
        assert.equal(redactText(once), once);
      }),
      { numRuns: 300 },
    );
  });

  it('replaces a card number anywhere in a text', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(
        digits,
        fc.string(),
        fc.string(),
        fc.constantFrom('', ' ', '-'),
        (some, before, after, between) => {
          const body = `4${some.slice(1).join('')}`;
          const check = '0123456789'.split('').find((digit) => isLuhn(body + digit)) ?? '';
          const number = `${body}${check}`.match(/.{4}/g)!.join(between);
          const letters = (text: string) => text.replaceAll(/[\d\s.·/\-‐-―]/g, 'x');
          const text = `${letters(before)} ${number} ${letters(after)}`;
          assert.ok(!redactText(text, KINDS).includes(number), text);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('takes linear time', () => {
    // Each of these takes minutes when an expression goes back and forth.
    for (const text of [
      '1 '.repeat(500_000),
      'a'.repeat(1_000_000),
      'a.'.repeat(500_000),
      '+1'.repeat(300_000),
      'DE12'.repeat(250_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(5000),
      'password'.repeat(100_000),
      '://a'.repeat(200_000),
    ])
      assert.equal(typeof redactText(text), 'string');
  });

  it('[TRF-12] takes seconds for the largest text, even for one long number or the beginnings of many keys', () => {
    const card = ' 4111111111111111';
    const keys = '-----BEGIN PRIVATE KEY-----'.repeat(300_000);
    takesAtMost(20_000, () => {
      const numbers = redactText(`${'3'.repeat(10_000_000 - card.length)}${card}`);
      assert.equal(numbers.slice(-20), '33333 [card number]'.slice(-20).padStart(20, '3'));
      assert.equal(redactText(keys).length < keys.length, true);
      for (const repeated of ['-', '_', '4111 ', '4.1 '])
        assert.equal(typeof redactText(repeated.repeat(8_000_000 / repeated.length)), 'string');
    });
  });

  it('finds card numbers in a run of digits of any length', () => {
    for (const before of [4076, 4080, 4090, 4096, 4100, 9000]) {
      const text = `${'7'.repeat(before)} 4111 1111 1111 1111 ${'7'.repeat(30)}`;
      assert.equal(text.length - redactText(text, ['card']).length, 19 - '[card number]'.length);
    }
  });

  it('replaces a private key up to its last line, or up to the end of the text when it has none', () => {
    const begin = '-----BEGIN RSA PRIVATE KEY-----';
    const end = '-----END RSA PRIVATE KEY-----';
    assert.equal(redactText(`a ${begin} b ${begin} c ${end} d`), 'a [secret] d');
    assert.equal(redactText(`${begin} b ${end} c ${begin} d`), '[secret] c [secret]');
    assert.equal(redactText(`${end} ${begin} b ${end} ${end}`), `${end} [secret] ${end}`);
    const long = `${begin}${' '.repeat(30_000)}${end}`;
    assert.equal(redactText(long), long);
  });
});

describe('spans', () => {
  it('move their offsets with the text', () => {
    const text = 'ann@example.org\nPage two: 4111111111111111\nPage three';
    const spans = spansOf(text, KINDS);
    const offsets = [0, text.indexOf('Page two'), text.indexOf('Page three')];
    const after = withLabels(text, spans);
    assert.deepEqual(
      moved(offsets, spans).map((at) => after.slice(at, at + 10).split('\n')[0]),
      ['[e-mail ad', 'Page two: ', 'Page three'],
    );
  });
});

describe('checksums', () => {
  it('of card numbers (Luhn)', () => {
    assert.ok(isLuhn('4111111111111111') && isLuhn('79927398713'));
    assert.ok(!isLuhn('4111111111111112') && !isLuhn('79927398710'));
  });
  it('of IBANs (mod 97)', () => {
    assert.ok(isIban('GB82WEST12345698765432') && isIban('DE89370400440532013000'));
    assert.ok(!isIban('GB82WEST12345698765433'));
  });
});
