import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyReader, PAGE_KEYS } from './keys.ts';

const pressed = (key: string, more: object = {}) => ({
  ...{ key, isCommand: false, isBusy: false, at: 0 },
  ...more,
});

describe('the keys', () => {
  it('lead to a page by g and a letter, within a moment', () => {
    const read = keyReader(() => true);
    for (const [key, { to }] of Object.entries(PAGE_KEYS)) {
      assert.equal(read(pressed('g')), null);
      assert.deepEqual(read(pressed(key, { at: 1400 })), { kind: 'page', to });
    }
    read(pressed('g'));
    assert.deepEqual(read(pressed('j', { at: 1600 })), { kind: 'next' });
    read(pressed('g', { at: 2000 }));
    assert.equal(read(pressed('q', { at: 2001 })), null);
    assert.deepEqual(read(pressed('j', { at: 2002 })), { kind: 'next' });
  });

  it('do nothing of their own while somebody writes, or when they are switched off', () => {
    let isOn = true;
    const read = keyReader(() => isOn);
    assert.equal(read(pressed('?', { isBusy: true })), null);
    assert.deepEqual(read(pressed('k', { isBusy: true, isCommand: true })), { kind: 'palette' });
    isOn = false;
    assert.equal(read(pressed('?')), null);
    assert.deepEqual(read(pressed('K', { isCommand: true })), { kind: 'palette' });
  });

  it('press the buttons that name them', () => {
    assert.deepEqual(keyReader(() => true)(pressed('e')), { kind: 'press', key: 'e' });
    assert.deepEqual(keyReader(() => true)(pressed('.')), { kind: 'press', key: '.' });
    assert.equal(keyReader(() => true)(pressed('E')), null);
  });

  it('choose a result by its number', () => {
    assert.deepEqual(keyReader(() => true)(pressed('3')), { kind: 'result', number: 3 });
    assert.equal(keyReader(() => true)(pressed('0')), null);
  });
});
