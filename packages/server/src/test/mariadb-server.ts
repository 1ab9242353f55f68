/**
 * Returns a real MariaDB: the server that TEST_MYSQL_URL names (also a MySQL, with a user who may do everything), or
 * else a new server. The new server is started from the programs on this machine, on a free port of 127.0.0.1, and is
 * removed at the end.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { ownerOfServer, type ServerTls } from './postgres-server.ts';

const run = promisify(execFile);
/** MariaDB refuses to run as root. */
const USER = 'mysql';
const PASSWORD = 'test-root-4711';

export interface MariadbServer {
  /** The address has the name and password of a user who may do everything. */
  readonly url: string;
  /** Says how the server ended and what it logged last, so that a lost connection can be explained. */
  state(): string;
  stop(): Promise<void>;
}

/** The last lines of a log tell why a server ended. */
const LOG_LINES = 20;
const SERVER = programNamed('mariadbd');
const INSTALL = programNamed('mariadb-install-db');
const given = process.env.TEST_MYSQL_URL;

/** This is the reason for skipping the tests on a server, or false. `.ci/run` installs MariaDB. */
export const skipWithoutMariadb =
  given === undefined &&
  (SERVER === undefined || INSTALL === undefined) &&
  'no MariaDB is installed: apt-get install mariadb-server, or set TEST_MYSQL_URL';

export const startMariadb = async (): Promise<MariadbServer> =>
  given === undefined
    ? startOwnMariadb()
    : { url: given, state: () => 'the server is that of TEST_MYSQL_URL', stop: async () => {} };

/** Starts a server on this machine, for a test whose actions on the server would break other tests. */
export async function startOwnMariadb(tls?: ServerTls): Promise<MariadbServer> {
  const owner = await ownerOfServer(USER);
  const folder = mkdtempSync(join(tmpdir(), 'quarry-mariadb-'));
  const data = join(folder, 'data');
  chmodSync(folder, 0o700);
  const init = join(folder, 'init.sql');
  writeFileSync(
    init,
    `create or replace user root@'127.0.0.1' identified by '${PASSWORD}';\ngrant all on *.* to root@'127.0.0.1' with grant option;\n`,
  );
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  if (tls) {
    writeFileSync(files.cert, tls.certificate);
    writeFileSync(files.key, tls.key, { mode: 0o600 });
  }
  if (owner)
    for (const path of [folder, init, ...(tls ? [files.cert, files.key] : [])])
      chownSync(path, owner.uid, owner.gid);
  const settings = { cwd: folder, ...owner, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  try {
    await run(
      INSTALL ?? '',
      [
        '--no-defaults',
        `--datadir=${data}`,
        '--skip-test-db',
        '--auth-root-authentication-method=normal',
      ],
      settings,
    );
    const port = await freePort();
    const server = spawn(
      SERVER ?? '',
      [
        '--no-defaults',
        `--datadir=${data}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        `--socket=${join(folder, 'socket')}`,
        `--pid-file=${join(folder, 'pid')}`,
        `--init-file=${init}`,
        '--innodb-flush-log-at-trx-commit=0',
        '--innodb-buffer-pool-size=64M',
        // Asynchronous writes need memory that the system must lock, of which containers have little.
        '--innodb-use-native-aio=0',
        '--plugin-load-add=auth_ed25519',
        '--plugin-maturity=unknown',
        ...(tls ? [`--ssl-cert=${files.cert}`, `--ssl-key=${files.key}`] : ['--skip-ssl']),
      ],
      { ...settings, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const log: string[] = [];
    server.stderr.on('data', (text) => log.push(String(text)));
    const ended = once(server, 'exit');
    const state = () => {
      const end = server.exitCode ?? server.signalCode ?? 'has not ended';
      return [`MariaDB (${end}):`, ...log.join('').split('\n').slice(-LOG_LINES)].join('\n');
    };
    const url = `mysql://root:${PASSWORD}@127.0.0.1:${port}/mysql`;
    await answering(url, data, () => {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error(state());
    });
    return {
      url,
      state,
      async stop() {
        server.kill('SIGKILL');
        await ended;
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Waits until the server of this folder answers. Another server may have taken the port meanwhile, and answer too. */
async function answering(url: string, data: string, whileStarting: () => void): Promise<void> {
  for (;;) {
    whileStarting();
    try {
      const connection = await mysql.createConnection({ uri: url });
      const [rows] = await connection.query<mysql.RowDataPacket[]>('select @@datadir as data');
      await connection.end();
      if (rows[0]?.data === `${data}/`) return;
      throw new Error(`another server answers at the port: it has the folder ${rows[0]?.data}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function programNamed(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
