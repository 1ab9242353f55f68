import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { post } from './post.ts';

const MEBIBYTE = Buffer.alloc(2 ** 20, ' ');
const never = new AbortController().signal;

describe('a request to a model', () => {
  let base: string;
  const asked: string[] = [];
  let react: (response: ServerResponse) => void;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    react(response);
  });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const ask = () =>
    post(
      { provider: 'openai', model: 'm', url: base, key: 'a key' },
      {
        path: '/embeddings',
        body: { input: 'text' },
        schema: z.strictObject({ fine: z.boolean() }),
      },
      { ms: 20_000, signal: never },
    );
  /** Sends this number of mebibytes of spaces, which JSON allows, and then the answer. */
  const answerAfter = (mebibytes: number) => (response: ServerResponse) => {
    let left = mebibytes;
    const write = () => {
      while (left-- > 0) if (!response.write(MEBIBYTE)) return void response.once('drain', write);
      response.end('{"fine": true}');
    };
    write();
  };

  it('does not follow a redirect, so that text and key reach no other address', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      react = (response) =>
        asked.length > 1
          ? response.end('{"fine": true}')
          : response.writeHead(status, { location: `${base}/other` }).end();
      await assert.rejects(ask(), { name: 'RemoteFailure', kind: 'refused', message: `${status}` });
      assert.deepEqual(asked.splice(0), ['/v1/embeddings']);
    }
  });

  it('reads an answer of up to 64 MiB and refuses a larger one', async () => {
    react = answerAfter(63);
    assert.deepEqual(await ask(), { fine: true });
    react = answerAfter(64);
    await assert.rejects(ask(), {
      name: 'RemoteFailure',
      kind: 'invalid',
      message: `an answer of over ${64 * 2 ** 20} bytes`,
    });
  });
});
