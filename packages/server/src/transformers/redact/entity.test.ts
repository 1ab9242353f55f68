import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entity } from '../../model/entity.ts';
import { redactEntity } from './entity.ts';
import { KINDS } from './text.ts';

const EMAIL = 'ann.heron@example.org';
const CARD = '4111 1111 1111 1111';

/** The entity has nothing personal in any of its parts. */
const clean: Entity = {
  id: 'e1',
  type: 'Page',
  name: 'Herons',
  text: 'The heron waits.',
  pages: [0, 10],
  url: 'https://example.org/herons',
  breadcrumbs: [{ id: 'b1', name: 'Birds', type: 'Folder' }],
  context: 'Birds > Herons',
  createdAt: new Date(0),
  updatedAt: new Date(1000),
  access: { viewers: ['user:bob'], isPublic: false },
  fields: { colour: 'grey', legs: 2, wild: true, nest: null, seen: [{ at: 'the weir' }] },
};
const redact = (over: Partial<Entity>) => redactEntity({ ...clean, ...over }, KINDS);

/** Each case gives one part before and after redaction. All other parts stay as they were. */
const PARTS: readonly [string, Partial<Entity>, Partial<Entity>][] = [
  ['the name', { name: `Herons of ${EMAIL}` }, { name: 'Herons of [e-mail address]' }],
  [
    'the text, and moves the pages behind it',
    { text: `${EMAIL} waits. The heron waits.`, pages: [0, EMAIL.length + 8] },
    { text: '[e-mail address] waits. The heron waits.', pages: [0, 24] },
  ],
  ['the context', { context: `Birds > ${EMAIL}` }, { context: 'Birds > [e-mail address]' }],
  [
    'each breadcrumb',
    {
      breadcrumbs: [
        { id: 'b1', name: 'Birds', type: 'Folder' },
        { id: 'b2', name: `Of ${EMAIL}`, type: 'Folder' },
      ],
    },
    {
      breadcrumbs: [
        { id: 'b1', name: 'Birds', type: 'Folder' },
        { id: 'b2', name: 'Of [e-mail address]', type: 'Folder' },
      ],
    },
  ],
  ['a text among the fields', { fields: { by: EMAIL } }, { fields: { by: '[e-mail address]' } }],
  [
    'a number among the fields',
    { fields: { card: Number(CARD.replaceAll(' ', '')), legs: 2 } },
    { fields: { card: '[card number]', legs: 2 } },
  ],
  [
    'the values within fields',
    { fields: { seen: [1, { by: [EMAIL] }, null, true] } },
    { fields: { seen: [1, { by: ['[e-mail address]'] }, null, true] } },
  ],
  [
    'what the file says about itself',
    { about: { author: EMAIL, language: 'en' } },
    { about: { author: '[e-mail address]', language: 'en' } },
  ],
  [
    'the names of fields',
    { fields: { seen: { [EMAIL]: 'at the weir' } } },
    { fields: { seen: { '[e-mail address]': 'at the weir' } } },
  ],
];

describe('redactEntity', () => {
  for (const [what, given, expected] of PARTS)
    it(`redacts ${what}`, () => {
      assert.deepEqual(redact(given), { ...clean, ...expected });
    });

  const { url: _, ...withoutUrl } = clean;
  for (const url of [
    `https://example.org/?by=${EMAIL}`,
    'https://example.org/?by=ann.heron%40example.org',
    `https://example.org/%?by=${EMAIL}`,
    'https://example.org/100%?by=ann.heron%40example.org',
    'https://example.org/?card=4111+1111+1111+1111',
    'https://example.org/?card=4111%201111%201111%201111',
    'https://example.org/?card=4111111111111111%39',
    'https://example.org/?phone=%2B49+30+901820',
    'https://example.org/phone/+49%2030%20901820',
  ])
    it(`removes the whole address ${url}`, () => {
      assert.deepEqual(redact({ url }), withoutUrl);
    });

  it('keeps an address without anything to redact, percent-encoded or not', () => {
    for (const url of ['https://example.org/100%', 'https://example.org/%C3%A9+%FF?a=%2B'])
      assert.deepEqual(redact({ url, name: EMAIL }), { ...clean, url, name: '[e-mail address]' });
  });

  it('keeps ids, types and viewers', () => {
    const kept = {
      id: EMAIL,
      type: EMAIL,
      breadcrumbs: [{ id: EMAIL, name: 'Birds', type: EMAIL }],
      access: { viewers: [`user:${EMAIL}`], isPublic: false },
    };
    assert.deepEqual(redact({ ...kept, name: EMAIL }), {
      ...clean,
      ...kept,
      name: '[e-mail address]',
    });
  });

  it('returns the same object when there is nothing to redact, and adds no property', () => {
    assert.equal(redactEntity(clean, KINDS), clean);
    const least = { id: 'e1', type: 'Page', name: EMAIL, text: '', fields: {} };
    assert.deepEqual(redactEntity(least, KINDS), { ...least, name: '[e-mail address]' });
  });

  it('redacts only the given kinds', () => {
    const given = { ...clean, name: EMAIL, context: CARD };
    assert.deepEqual(redactEntity(given, ['card']), { ...given, context: '[card number]' });
  });
});
