import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Notification, ServerContext } from '@modelcontextprotocol/server';
import { withProgress } from './progress.ts';

describe('withProgress', () => {
  it('sends no notification after the work has ended or failed', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const told: Notification[] = [];
    const mcpReq = {
      _meta: { progressToken: 1 },
      notify: async (notification: Notification) => {
        told.push(notification);
      },
    };
    const ctx = { mcpReq } as unknown as ServerContext;
    await withProgress(ctx, { what: 'Work', say: assert.fail }, async () =>
      t.mock.timers.tick(3_000),
    );
    const failing = withProgress(ctx, { what: 'Work', say: assert.fail }, () =>
      Promise.reject(new Error('no')),
    );
    await assert.rejects(failing, /no/);
    t.mock.timers.tick(30_000);
    assert.equal(told.length, 3);
  });

  it('logs why a notification could not be sent, unless the client has disconnected', async () => {
    const said: string[] = [];
    const tell = (signal: AbortSignal) => {
      const notify = () => Promise.reject(new Error('closed'));
      const ctx = { mcpReq: { _meta: { progressToken: 1 }, notify, signal } };
      return withProgress(
        ctx as unknown as ServerContext,
        { what: 'Work', say: (text) => said.push(text) },
        async () => {},
      );
    };
    await tell(AbortSignal.abort());
    await tell(new AbortController().signal);
    assert.deepEqual(said, ['progress could not be sent: closed']);
  });
});
