/**
 * Real servers of Git on free ports of 127.0.0.1: `git http-backend` behind a small HTTP server that asks for a
 * password, and OpenSSH's sshd with one key. Both serve the bare repositories of a temporary folder. People change
 * them with git itself.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const SSHD = '/usr/sbin/sshd';
const BACKEND = '/usr/lib/git-core/git-http-backend';
export const USER = 'ann';
export const PASSWORD = 'token-of-ann-4711';

/** This is the reason for skipping the tests that need these programs, or false. `.ci/run` installs them. */
export const skipWithoutGit =
  !(existsSync(BACKEND) && existsSync(SSHD)) &&
  'git or sshd is not installed: apt-get install git openssh-server';

export interface TestRepository {
  readonly path: string;
  /** Writes files, and removes those that are null; commits and pushes them. Returns the commit. */
  commit(files: Readonly<Record<string, string | Buffer | null>>, branch?: string): Promise<string>;
  /** Runs git in the folder of the person. */
  git(...args: string[]): Promise<string>;
  readonly work: string;
}

export type GitServer = Awaited<ReturnType<typeof openGitServer>>;

const ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
};

export async function openGitServer() {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-git-'));
  chmodSync(folder, 0o755);
  const repositories = join(folder, 'repositories');
  mkdirSync(repositories);
  /** Each request of HTTP, such as `GET /notes.git/info/refs?service=git-upload-pack`. */
  const requests: string[] = [];
  /** A test may answer a request itself. */
  const intercept: {
    by: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  } = { by: null };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (intercept.by?.(request, response)) return;
    const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('who are you?');
      return;
    }
    serve(request, response, repositories);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let ssh: SshServer | undefined;

  return {
    folder,
    requests,
    intercept,
    http: (name: string) => `http://127.0.0.1:${port}/${name}.git`,
    file: (name: string) => `file://${join(repositories, `${name}.git`)}`,
    async ssh() {
      ssh ??= await openSshServer(folder);
      const { port: sshPort, hostKey, clientKey } = ssh;
      return {
        url: (name: string) =>
          `ssh://${userInfo().username}@127.0.0.1:${sshPort}${join(repositories, `${name}.git`)}`,
        hostKey,
        clientKey,
      };
    },
    async repository(name: string, settings: Record<string, string> = {}): Promise<TestRepository> {
      const path = join(repositories, `${name}.git`);
      const work = join(folder, 'work', name);
      await run('git', ['init', '-q', '--bare', '-b', 'main', path], { env: ENV });
      const all = { 'uploadpack.allowFilter': 'true', ...settings };
      for (const [key, value] of Object.entries(all))
        await run('git', ['-C', path, 'config', key, value], { env: ENV });
      await run('git', ['init', '-q', '-b', 'main', work], { env: ENV });
      const git = async (...args: string[]) =>
        (await run('git', ['-C', work, ...args], { env: ENV, maxBuffer: 2 ** 26 })).stdout.trim();
      await git('remote', 'add', 'origin', path);
      return {
        path,
        work,
        git,
        async commit(files, branch = 'main') {
          for (const [file, text] of Object.entries(files)) {
            const at = join(work, file);
            if (text === null) rmSync(at, { recursive: true });
            else {
              mkdirSync(dirname(at), { recursive: true });
              writeFileSync(at, text);
            }
          }
          await git('add', '-A', '-f');
          await git('commit', '-q', '--allow-empty', '-m', 'a change');
          await git('push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`);
          return git('rev-parse', 'HEAD');
        },
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await ssh?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the CGI program of git (git-http-backend) for a request. */
function serve(request: IncomingMessage, response: ServerResponse, root: string): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(BACKEND, [], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_USER: USER,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  let head: Buffer | null = Buffer.alloc(0);
  child.stdout.on('data', (piece: Buffer) => {
    if (head === null) return void response.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const headers = head
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers));
    response.write(head.subarray(end + 4));
    head = null;
  });
  child.stdout.on('end', () => response.end());
  response.on('close', () => child.kill());
}

interface SshServer {
  readonly port: number;
  readonly hostKey: string;
  readonly clientKey: string;
  stop(): Promise<void>;
}

async function openSshServer(folder: string): Promise<SshServer> {
  const at = (name: string) => join(folder, name);
  for (const name of ['host', 'client'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  writeFileSync(at('authorized'), readFileSync(at('client.pub')), { mode: 0o600 });
  const port = await freePort();
  writeFileSync(
    at('sshd_config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
AuthorizedKeysFile ${at('authorized')}
PidFile ${at('sshd.pid')}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
AcceptEnv GIT_PROTOCOL
`,
  );
  // As root, sshd wants this folder, which the start of the system makes.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const child: ChildProcess = spawn(SSHD, ['-D', '-e', '-f', at('sshd_config')], {
    stdio: 'ignore',
  });
  await until(async () => (child.exitCode === null ? await answers(port) : true));
  return {
    port,
    hostKey: readFileSync(at('host.pub'), 'utf8').trim(),
    clientKey: readFileSync(at('client'), 'utf8'),
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill()) await ended;
    },
  };
}

function answers(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
}
