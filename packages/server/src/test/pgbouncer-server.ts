/**
 * Starts PgBouncer from the program of this machine, on a free port of 127.0.0.1. It pools transactions, and every database
 * of the server behind it has its own name there.
 */
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child-server.ts';
import { freePort } from './free-port.ts';
import { ownerOfServer } from './postgres-server.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

/** This is the reason for skipping the tests of PgBouncer, or false. `.ci/run` installs it. */
export const skipWithoutPgbouncer =
  !existsSync(PROGRAM) && 'no PgBouncer is installed: apt-get install pgbouncer';

export interface PgbouncerServer {
  /** The same database as that of the server behind it. */
  readonly url: string;
  /** New connections go to the server with this address from now on. */
  pointTo(server: string): void;
  stop(): Promise<void>;
}

/** The database has this name, too, with which PgBouncer pools sessions. */
export const sessionName = (database: string) => `${database}_session`;

interface PoolerOptions {
  /** This database has a second name. */
  readonly withSessions?: string | undefined;
}

/** `server` is the address of a PostgreSQL with the name and password of a superuser. */
export async function startPgbouncer(
  server: string,
  { withSessions }: PoolerOptions = {},
): Promise<PgbouncerServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-pgbouncer-'));
  const settings = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  const port = await freePort();
  const owner = await ownerOfServer();
  const { username, password } = new URL(server);
  const write = (behind: string) => {
    const { hostname, port: behindPort } = new URL(behind);
    writeFileSync(
      settings,
      settingsOf({
        users,
        port,
        behind: `host=${hostname} port=${behindPort} ${CONNECT_QUERY}`,
        withSessions,
      }),
    );
  };
  write(server);
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  chmodSync(folder, 0o700);
  if (owner) for (const path of [folder, settings, users]) chownSync(path, owner.uid, owner.gid);
  const url = new URL(server);
  url.host = `127.0.0.1:${port}`;
  try {
    const { child, stop } = await startChild({ program: PROGRAM, args: [settings], port, owner });
    return {
      url: url.href,
      pointTo(other) {
        write(other);
        child.kill('SIGHUP');
      },
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

interface PoolerPlace extends PoolerOptions {
  readonly users: string;
  readonly port: number;
  readonly behind: string;
}

/** The server probes its connections to the pooler, and looks for them while they wait for locks (db/client-settings.ts). */
const CONNECT_QUERY = `connect_query='set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set tcp_user_timeout = 30000; set client_connection_check_interval = 10000'`;

const settingsOf = ({ users, port, behind, withSessions }: PoolerPlace): string => `[databases]
${withSessions === undefined ? '' : `${sessionName(withSessions)} = ${behind} dbname=${withSessions} pool_mode=session`}
* = ${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 40
server_login_retry = 1
query_wait_timeout = 20
tcp_user_timeout = 15000
`;
