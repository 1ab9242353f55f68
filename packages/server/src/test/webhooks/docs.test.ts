/** Runs the receiver that docs/webhooks.md contains, and compares the page with the code. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EVENT_TYPES } from '../../events/types.ts';
import { DELIVERY_MOVES } from '../../model/delivery-state.ts';
import { signedHeaders } from '../../webhooks/deliver/sign.ts';
import { makeSecret } from '../../webhooks/secret.ts';
import { until } from '../until.ts';

const DOCS = readFileSync(new URL('../../../../../docs/webhooks.md', import.meta.url), 'utf8');
const block = (language: string): string => {
  const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(DOCS) ?? [];
  assert.ok(code, `no block of ${language}`);
  return code;
};
const BODY = '{"event_type":"collection.created","collection_readable_id":"grüße-🎉"}';

describe('docs/webhooks.md', () => {
  const secrets = [makeSecret(), makeSecret()];
  const [secret = ''] = secrets;
  let headers: Record<string, string> = {};
  let dir = '';
  before(() => {
    // The headers are signed here and not when the file is loaded, because a receiver refuses a
    // message that is five minutes old.
    headers = signedHeaders({ id: 'm-1', at: Date.now(), body: BODY }, secrets.toReversed());
    dir = mkdtempSync(join(tmpdir(), 'quarry-webhook-docs-'));
    writeFileSync(join(dir, 'body.bin'), BODY);
  });
  after(() => rmSync(dir, { recursive: true }));

  describe('[DLV-05] [DLV-06] the receiver in TypeScript', () => {
    let receiver: ChildProcess;
    let output = '';
    let url = '';
    before(async () => {
      writeFileSync(join(dir, 'receiver.ts'), block('ts receiver'));
      const port = await freePort();
      url = `http://127.0.0.1:${port}/`;
      receiver = spawn(process.execPath, [join(dir, 'receiver.ts')], {
        env: { WEBHOOK_SECRET: secret, PORT: String(port) },
      });
      receiver.stdout?.on('data', (text) => {
        output += text;
      });
      await until(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
    });
    after(() => receiver.kill('SIGKILL'));

    const send = async (over: Record<string, string> = {}, body = BODY) =>
      (await fetch(url, { method: 'POST', headers: { ...headers, ...over }, body })).status;

    it('accepts a genuine message once, and refuses changed and old messages', async () => {
      assert.equal(await send({}, `${BODY} `), 401);
      assert.equal(await send({ 'webhook-id': 'm-2' }), 401);
      assert.equal(await send({ 'webhook-signature': 'v1,AAAA v1a,x' }), 401);
      const old = signedHeaders({ id: 'm-1', at: Date.now() - 600_000, body: BODY }, [secret]);
      assert.equal(await send(old), 401);
      assert.equal(await send(), 204);
      assert.equal(await send(), 204);
      await until(() => output.includes('\n'));
      assert.equal(output, 'collection.created grüße-🎉\n');
    });
  });

  it('[DLV-05] the Python sample verifies a message', (t) => {
    if (!isThere('python3')) return t.skip('there is no python3');
    const check = `${block('python')}
import json, sys
secret, headers = sys.argv[1], json.loads(sys.argv[2])
body = open("body.bin", "rb").read()
print(is_genuine(secret, headers, body), is_genuine(secret, headers, body + b" "))`;
    const out = execFileSync('python3', ['-c', check, secret, JSON.stringify(headers)], {
      cwd: dir,
      encoding: 'utf8',
    });
    assert.equal(out.trim(), 'True False');
  });

  it('[DLV-05] the shell sample computes one of the signatures', (t) => {
    if (!isThere('openssl')) return t.skip('there is no openssl');
    const code = DOCS.split('```sh\n')
      .find((text) => text.startsWith('key='))
      ?.split('```')[0];
    const out = execFileSync('sh', ['-c', code ?? ''], {
      cwd: dir,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        WEBHOOK_SECRET: secret,
        WEBHOOK_ID: 'm-1',
        WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
      },
    });
    assert.ok(headers['webhook-signature']?.split(' ').includes(`v1,${out.trim()}`));
  });

  it('lists every event type', () => {
    for (const type of EVENT_TYPES) assert.ok(DOCS.includes(`\`${type}\``), type);
  });

  it('draws every transition of a delivery, and no other', () => {
    const moves = Object.entries(DELIVERY_MOVES).flatMap(([name, move]) =>
      Object.entries(move).map(([from, to]) => `  ${from} --> ${to}: ${name}`),
    );
    const drawn = DOCS.match(/^ {2}[A-Z]+ --> [A-Z]+: .*$/gm);
    assert.deepEqual(drawn?.toSorted(), moves.toSorted());
  });
});

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    // The test is skipped on a machine without the program.
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
