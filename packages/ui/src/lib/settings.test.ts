import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTexts, settingsOf, textsOfConfig } from './settings.ts';

const schema = {
  type: 'object',
  required: ['words'],
  properties: {
    kinds: { type: 'array', description: 'Some of these.', items: { enum: ['card', 'iban'] } },
    words: { type: 'array', items: { type: 'string' } },
    title: { type: 'string' },
    most: { type: 'integer' },
    strict: { type: 'boolean' },
    level: { enum: [1, 'two'] },
    rules: { type: 'object' },
  },
};
const config = {
  kinds: ['iban'],
  words: ['a b', 'c'],
  title: 'Tickets',
  most: 3,
  strict: true,
  level: 'two',
  rules: { a: [1] },
};

describe('the settings of a configuration', () => {
  const settings = settingsOf(schema);

  it('have a field for each property of the schema', () => {
    assert.deepEqual(
      settings.map(({ name, kind }) => `${name} ${kind}`),
      [
        'kinds choices',
        'words lines',
        'title text',
        'most number',
        'strict flag',
        'level json',
        'rules json',
      ],
    );
    assert.deepEqual(settings[0]?.choices, ['card', 'iban']);
    assert.equal(settings[0]?.help, 'Some of these.');
    assert.deepEqual(
      settings.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      ['words'],
    );
  });

  it('give the same configuration again, and leave out what is empty', () => {
    assert.deepEqual(readTexts(settings, textsOfConfig(settings, config)), { config, faults: {} });
    assert.deepEqual(readTexts(settings, textsOfConfig(settings, { words: ['x'] })).config, {
      words: ['x'],
    });
  });

  it('say yes or no where a flag was touched, and no where one is needed', () => {
    assert.equal(readTexts(settings, { words: 'x', strict: 'false' }).config.strict, false);
    assert.ok(!('strict' in readTexts(settings, { words: 'x' }).config));
    const needed = settingsOf({ ...schema, required: ['strict'] });
    assert.deepEqual(readTexts(needed, {}), { config: { strict: false }, faults: {} });
    assert.equal(textsOfConfig(needed, { strict: false }).strict, 'false');
  });

  it('say what is wrong, and which is missing', () => {
    const { faults } = readTexts(settings, { words: ' \n', most: 'many', rules: '{' });
    assert.deepEqual(faults, {
      words: 'This is needed.',
      most: 'Write a number.',
      rules: 'This is not JSON.',
    });
  });

  it('are one field of JSON when the schema names no properties, and none when it allows none', () => {
    const whole = settingsOf({ type: 'object' });
    assert.deepEqual(readTexts(whole, textsOfConfig(whole, config)).config, config);
    assert.match(readTexts(whole, { '': '[1]' }).faults[''] ?? '', /is an object/);
    assert.deepEqual(settingsOf({ type: 'object', additionalProperties: false }), []);
  });
});
