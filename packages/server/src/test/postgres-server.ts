/**
 * Returns a real PostgreSQL: the server that TEST_POSTGRES_URL names, if it asks for a password, or else a new server.
 * The new server is started from the programs on this machine, on a free port of 127.0.0.1, and is removed at the end.
 * Its owner is the superuser `postgres`. Clients sign in with a password, by SCRAM.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
export const POSTGRES_PASSWORD = 'test-superuser-4711';
/** PostgreSQL refuses to run as root. */
const USER = 'postgres';

export interface PostgresServer {
  /** The address has the name and password of a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServerTls {
  /** The certificate and the key are in PEM. */
  readonly certificate: string;
  readonly key: string;
}

export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.TEST_POSTGRES_URL;
  // A server that asks for no password could not refuse a wrong one.
  if (given && new URL(given).password !== '') return { url: given, stop: async () => {} };
  return startOwnPostgres();
}

interface ServerOptions {
  readonly tls?: ServerTls | undefined;
  /** If true, commits wait for the disk, as in an installation. Tests do without, because no machine fails in them. */
  readonly isDurable?: boolean;
}

/** Starts a server on this machine, for a test whose actions on the server would break other tests. */
export async function startOwnPostgres({
  tls,
  isDurable = false,
}: ServerOptions = {}): Promise<PostgresServer> {
  const { folder, owner, call } = await openPostgresFolder();
  const data = join(folder, 'data');

  try {
    await call('initdb', initialOptions({ folder, data }));
    const port = await freePort();
    for (const [name, text] of Object.entries({
      'server.crt': tls?.certificate,
      'server.key': tls?.key,
    })) {
      if (text === undefined) continue;
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (owner) chownSync(join(data, name), owner.uid, owner.gid);
    }
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=${isDurable ? 'on' : 'off'} -c max_connections=300 -c ssl=${tls ? 'on' : 'off'}`;
    await call('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start']);
    return {
      url: `postgres://postgres:${POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`,
      async stop() {
        await call('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

export interface PostgresFolder {
  /** The folder holds the data of servers, and the file with the password of their superuser. */
  readonly folder: string;
  readonly owner: Awaited<ReturnType<typeof ownerOfServer>>;
  /** Runs a program of PostgreSQL as the owner of the folder. */
  call(program: string, args: string[]): Promise<{ stdout: string }>;
}

/** Makes a folder in which the programs of PostgreSQL on this machine run. Throws when there are none. */
export async function openPostgresFolder(): Promise<PostgresFolder> {
  const bin = postgresPrograms();
  if (!bin)
    throw new Error(
      'these tests need a real PostgreSQL: install it (Debian: apt-get install postgresql), or name a server in TEST_POSTGRES_URL (a superuser with a password)',
    );
  const owner = await ownerOfServer();
  const folder = mkdtempSync(join(tmpdir(), 'quarry-postgres-'));
  const passwordFile = passwordFileIn(folder);
  writeFileSync(passwordFile, POSTGRES_PASSWORD);
  chmodSync(folder, 0o700);
  if (owner) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const call = (program: string, args: string[]) =>
    run(join(bin, program), args, {
      cwd: folder,
      ...owner,
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PGPASSWORD: POSTGRES_PASSWORD },
    });
  return { folder, owner, call };
}

const passwordFileIn = (folder: string) => join(folder, 'password');

/** Returns the arguments with which initdb makes a new data directory, whose superuser has the password of the tests. */
export const initialOptions = ({
  folder,
  data,
}: {
  readonly folder: string;
  readonly data: string;
}) => [
  ...['-D', data, '-U', 'postgres', '-A', 'scram-sha-256'],
  ...['--pwfile', passwordFileIn(folder), '-E', 'UTF8', '-N'],
];

/**
 * Returns the folder of the newest version of PostgreSQL's programs on this machine, or undefined when there are none.
 */
export function postgresPrograms(): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin').toSorted().reverse(),
    ...globSync('/opt/homebrew/opt/postgresql*/bin'),
  ];
  const needed = ['pg_ctl', 'initdb', 'pg_basebackup'];
  return folders.find((folder) => needed.every((program) => existsSync(join(folder, program))));
}

/** Returns the user who runs the server when this process may not run it, because it runs as root. */
export async function ownerOfServer(
  user = USER,
): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)),
  );
  if (uid === undefined || gid === undefined) throw new Error(`there is no user ${user}`);
  return { uid, gid };
}
