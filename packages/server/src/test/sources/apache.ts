/**
 * Starts a real Apache HTTP Server for a test, on a free port of 127.0.0.1, with the files of a temporary folder. It runs
 * as an unprivileged user, as sites do. The server keeps a log of its requests, so that a test can count them.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../child-environment.ts';
import { until } from '../until.ts';

const PROGRAM = '/usr/sbin/apache2';
const MODULES = '/usr/lib/apache2/modules';
/** Apache must not run as root, so a test that does uses the user whom Debian made for it. */
const USER = 'www-data';

/** This is the reason for which tests are skipped, or false. */
export const withoutApache = existsSync(PROGRAM)
  ? false
  : 'Apache is not installed (Debian: apt-get install apache2)';

export interface Apache {
  /** The address has no slash at its end. */
  readonly url: string;
  /** The files of the site are in the folder `site` of this one. */
  readonly folder: string;
  /** Writes a file of the site. It gets a time of change of its own, since the last one may have been in the same second. */
  write(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  /** Removes all files of the site. */
  clear(): void;
  /** Returns how many requests were answered so far. */
  count(): number;
  /** Returns the requests since the last call, such as `200 /guide/`, in the order of their answers. */
  requests(): Promise<string[]>;
  stop(): Promise<void>;
}

/** `rules` is a text in Apache's own language, such as `Redirect permanent /old /new`. */
export async function startApache(rules = ''): Promise<Apache> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-apache-'));
  const site = join(folder, 'site');
  mkdirSync(site);
  const port = await freePort();
  const log = join(folder, 'access.log');
  writeFileSync(log, '');
  writeFileSync(join(folder, 'apache.conf'), configOf({ folder, port, rules }));
  const owner = await ownerOfServer();
  chmodSync(folder, 0o755);
  if (owner) for (const path of [folder, site, log]) chownSync(path, owner.uid, owner.gid);
  const server = spawn(PROGRAM, ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], {
    ...owner,
    env: childEnvironment(),
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => isUp(url, server));
  let read = readFileSync(log, 'utf8').length;
  let marks = 0;
  return {
    url,
    folder,
    write(path, content) {
      const file = join(site, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      const at = Date.now() / 1000 - 100_000 + writes++;
      utimesSync(file, at, at);
    },
    remove: (path) => rmSync(join(site, path), { recursive: true }),
    clear() {
      for (const name of readdirSync(site)) rmSync(join(site, name), { recursive: true });
    },
    count: () => readFileSync(log, 'latin1').split('\n').length,
    async requests() {
      // Apache writes a line after it has answered, so the last lines may still be missing.
      const mark = `/mark-${marks++}`;
      await fetch(url + mark);
      const text = await until(async () => {
        const all = readFileSync(log, 'utf8');
        return all.includes(` ${mark} `) ? all : undefined;
      });
      const lines = text.slice(read).split('\n');
      read = text.length;
      const asked = lines.flatMap((line) => line.replace(/^(\d+) [A-Z]+ (\S+) .*$/, '$1 $2') || []);
      return asked.filter((line) => !line.endsWith(mark));
    },
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

let writes = 0;

/** The file of users has the form `{SHA}`, which Apache reads without another program. */
export const passwordFile = (user: string, password: string): string =>
  `${user}:{SHA}${createHash('sha1').update(password).digest('base64')}\n`;

const configOf = ({ folder, port, rules }: { folder: string; port: number; rules: string }) => `
ServerRoot "${folder}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${folder}/pid"
ErrorLog "${folder}/error.log"
${[
  ...['mpm_event', 'authn_core', 'authz_core', 'authn_file', 'authz_user', 'auth_basic', 'alias'],
  ...['mime', 'dir', 'headers', 'deflate', 'filter', 'rewrite'],
]
  .map((name) => `LoadModule ${name}_module "${MODULES}/mod_${name}.so"`)
  .join('\n')}
TypesConfig /dev/null
AddType text/html .html
AddType text/plain .txt
AddType text/xml .xml
AddType application/pdf .pdf
AddType application/gzip .gz
AddType application/vnd.openxmlformats-officedocument.wordprocessingml.document .docx
AddType application/vnd.openxmlformats-officedocument.presentationml.presentation .pptx
AddType text/markdown .md
AddType application/rss+xml .rss
DefaultRuntimeDir "${folder}"
Mutex pthread
StartServers 1
ServerLimit 1
ThreadsPerChild 16
MaxRequestWorkers 16
LogFormat "%>s %r" plain
CustomLog "${folder}/access.log" plain
DocumentRoot "${folder}/site"
DirectoryIndex index.html
<Directory "${folder}/site">
  AllowOverride All
  Require all granted
</Directory>
${rules}
`;

async function isUp(url: string, server: ChildProcess): Promise<true | undefined> {
  if (server.exitCode !== null) throw new Error(`Apache ended with ${server.exitCode}`);
  return fetch(url).then(
    () => true as const,
    () => undefined,
  );
}

async function ownerOfServer(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const run = promisify(execFile);
  const [uid = 0, gid = 0] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, USER])).stdout)),
  );
  return { uid, gid };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port'));
      });
    });
  });
}
