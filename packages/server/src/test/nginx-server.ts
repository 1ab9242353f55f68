/** Starts nginx with the example of deploy/, in front of servers of this machine, on a free port of 127.0.0.1. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child-server.ts';
import { freePort } from './free-port.ts';

const PROGRAM = '/usr/sbin/nginx';
const EXAMPLE = fileURLToPath(new URL('../../../../deploy/nginx.conf', import.meta.url));

/** This is the reason for skipping the tests of nginx, or false. `.ci/run` installs it. */
export const skipWithoutNginx =
  !existsSync(PROGRAM) && 'no nginx is installed: apt-get install nginx-light';

/** After this time, nginx sends requests again to a server that could not be reached (`fail_timeout` of the example). */
export const READMISSION_MS = 2500;

export interface NginxServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** The servers listen at these ports of 127.0.0.1, or will. */
export async function startNginx(ports: readonly number[]): Promise<NginxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-nginx-'));
  const port = await freePort();
  // The worker of nginx is another user, who must reach the folders of bodies and answers.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'temporary'));
  const main = join(folder, 'nginx.conf');
  writeFileSync(join(folder, 'quarry.conf'), exampleFor(ports, port));
  writeFileSync(main, MAIN(folder));
  try {
    const { stop } = await startChild({
      program: PROGRAM,
      args: ['-p', folder, '-c', main, '-e', 'stderr'],
      port,
    });
    return {
      address: `http://127.0.0.1:${port}`,
      async stop() {
        await stop();
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

/** Changes nothing of the example but addresses and TLS, for which a test has no name and no certificate. */
function exampleFor(ports: readonly number[], port: number): string {
  const example = readFileSync(EXAMPLE, 'utf8');
  const servers = /^ {2}server 10\.\S+( .*;)$/gm;
  const options = servers.exec(example)?.[1];
  assert.ok(options !== undefined, 'the example has servers');
  const [first = '', ...others] = ports.map((each) => `  server 127.0.0.1:${each}${options}`);
  assert.equal(others.length, 2, 'the example is for three servers');
  const lines = [first, ...others];
  return example
    .replaceAll(servers, () => lines.shift() ?? '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ {2}ssl_.*\n/gm, '');
}

const MAIN = (folder: string) => `daemon off;
worker_processes 1;
pid ${folder}/pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`).join('\n  ')}
  include ${folder}/quarry.conf;
}
`;
