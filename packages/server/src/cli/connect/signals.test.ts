import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listenToSignals } from './signals.ts';

describe('signals to quarry connect', () => {
  const listen = () => {
    const clock = { ms: 1000 };
    const signals = listenToSignals(() => clock.ms);
    return { clock, signals, aborted: () => [signals.stop.signal.aborted, signals.hurry.aborted] };
  };

  it('a second signal within half a second belongs to the first, and a later one hurries', () => {
    const { clock, signals, aborted } = listen();
    try {
      assert.deepEqual(aborted(), [false, false]);
      process.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 500;
      process.emit('SIGTERM', 'SIGTERM');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 1;
      process.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, true]);
    } finally {
      signals.close();
    }
  });

  it('a signal hurries when Ctrl-C at a question has stopped the command before', () => {
    const { clock, signals, aborted } = listen();
    try {
      signals.stop.abort();
      process.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, false]);
      clock.ms += 501;
      process.emit('SIGINT', 'SIGINT');
      assert.deepEqual(aborted(), [true, true]);
    } finally {
      signals.close();
    }
  });

  it('the end of the terminal stops the command, and never hurries it', () => {
    const { clock, signals, aborted } = listen();
    try {
      process.emit('SIGHUP', 'SIGHUP');
      clock.ms += 10_000;
      process.emit('SIGHUP', 'SIGHUP');
      assert.deepEqual(aborted(), [true, false]);
    } finally {
      signals.close();
    }
  });

  it('signals after the end are left to others', () => {
    const before = process.listenerCount('SIGINT');
    const { signals } = listen();
    assert.equal(process.listenerCount('SIGINT'), before + 1);
    signals.close();
    assert.equal(process.listenerCount('SIGINT'), before);
  });
});
