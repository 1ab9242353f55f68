import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectedBy } from './expected.ts';

describe('the kind of answer that a question expects', () => {
  const answers: readonly (readonly [question: string, answer: string, other: string])[] = [
    ['How old is Ada?', 'Ada is 36 years old.', 'Ada has 36 boats.'],
    ['How long is the leave?', 'It lasts twenty weeks.', 'It begins after the birth.'],
    ['How much does the G2 cost?', 'It is 480 euros.', 'It collects up to 64 probes.'],
    ['price of the pass', 'It costs 14 a day.', 'There are six barrels.'],
    ['phone number of the vet', 'Vet: 030 555 0133', 'Vaccinated on 2025-11-11 and 12.03.2026.'],
    ['How many rides were there in 2023?', 'There were 498,000.', 'Rides of 2023.'],
    ['When does the office open?', 'At half past seven.', 'With a badge.'],
  ];
  for (const [question, answer, other] of answers)
    it(`[SRH-35] ${question}`, () => {
      const { isIn } = expectedBy(question);
      assert.deepEqual([isIn(answer), isIn(other)], [true, false]);
    });

  it('[SRH-35] is null when the question word asks for no kind, or is not English', () => {
    for (const question of [
      'Who leads it?',
      'Why does it rain?',
      'vault keys',
      'Wie lange dauert es?',
    ])
      assert.ok(expectedBy(question).isIn('Something.'), question);
  });

  it('[SRH-35] counts little the words that ask for a price, and not its subject', () => {
    const lightIn = (question: string) => [...expectedBy(question).light].toSorted();
    assert.deepEqual(lightIn('What did the plumber cost?'), ['cost']);
    assert.deepEqual(lightIn('How much did we pay the electrician?'), ['much', 'pai']);
    assert.deepEqual(lightIn('Who leads it?'), []);
    const amount = 'Total: 184.50 EUR';
    assert.ok(expectedBy('What did the plumber cost?').hasAmount(amount));
    assert.ok(!expectedBy('What did the plumber cost?').hasAmount('Labour: 2 hours'));
    assert.ok(!expectedBy('How many sockets are there?').hasAmount(amount));
  });

  it('[SRH-35] requires the numbers, dates and quotations of the question', () => {
    const has = (question: string, text: string) => expectedBy(question).hasNamed(text);
    assert.ok(has('tickets of 2024', 'In 2024 there were few.'));
    assert.ok(!has('tickets of 2024', 'In 20245 there were few.'));
    assert.ok(!has('tickets in the third quarter', 'The second quarter, the third time.'));
    assert.ok(!has('rent from October on', 'The rent for september.'));
    assert.ok(!has('Does it support HTTP/3?', 'It supports HTTP/2.'));
    assert.ok(!has('code E7', 'code E71'));
    assert.ok(has('Who paints "Kap  Arkona"?', 'She paints kap arkona.'));
    assert.ok(!has('Who paints "Kap Arkona"?', 'She paints Arkona.'));
    assert.ok(has('Who paints?', 'She does.'));
  });
});
