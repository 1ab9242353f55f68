import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { listenToSignals } from './signals.ts';

describe('signals to quarry connect', () => {
  // A signal of the process itself would also end the test runner.
  const listen = () => {
    const clock = { ms: 1000 };
    const source = new EventEmitter();
    const signals = listenToSignals(source, () => clock.ms);
    return {
      clock,
      source,
      signals,
      aborted: () => [signals.stop.signal.aborted, signals.hurry.aborted],
    };
  };

  it('a second signal within half a second belongs to the first, and a later one hurries', () => {
    const { clock, source, signals, aborted } = listen();
    try {
      assert.deepEqual(aborted(), [false, false]);
      source.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 500;
      source.emit('SIGTERM', 'SIGTERM');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 1;
      source.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, true]);
    } finally {
      signals.close();
    }
  });

  it('a signal hurries when Ctrl-C at a question has stopped the command before', () => {
    const { clock, source, signals, aborted } = listen();
    try {
      signals.stop.abort();
      source.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 501;
      source.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, true]);
    } finally {
      signals.close();
    }
  });

  it('the end of the terminal stops the command, and never hurries it', () => {
    const { clock, source, signals, aborted } = listen();
    try {
      source.emit('SIGHUP', 'SIGHUP');
      clock.ms += 10_000;
      source.emit('SIGHUP', 'SIGHUP');
      assert.deepEqual(aborted(), [true, false]);
    } finally {
      signals.close();
    }
  });

  it('signals after the end are left to others', () => {
    const { source, signals } = listen();
    assert.equal(source.listenerCount('SIGINT'), 1);
    signals.close();
    assert.equal(source.listenerCount('SIGINT'), 0);
  });
});
