/**
 * Starts Dovecot, a real IMAP server, on a free port of 127.0.0.1 with its mail in a temporary folder. Every user name has
 * an account of its own, which is empty at first, and all have one password.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const PROGRAM = '/usr/sbin/dovecot';
/** Dovecot stores no mail for root. Its package makes this user. */
const USER = 'dovenull';
export const PASSWORD = 'mail-secret-4711';

/** The tests that need Dovecot are skipped, and counted with this reason, where it is missing. `.ci/run` installs it. */
export const needsDovecot = {
  skip: existsSync(PROGRAM) ? false : 'no Dovecot is installed: apt-get install dovecot-imapd',
};

export interface DovecotServer {
  readonly port: number;
  stop(): Promise<void>;
  /** Ends the process without a warning, as a crash does, and starts it again. */
  restart(): Promise<void>;
}

export interface DovecotOptions {
  /** The certificate and the key are in PEM. With them, the port speaks TLS from the beginning. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly format?: 'mdbox' | 'maildir';
  /** These capabilities are announced in place of all that Dovecot has. */
  readonly capability?: string;
}

export async function startDovecot(options: DovecotOptions = {}): Promise<DovecotServer> {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-dovecot-'));
  const owner = await ownerOfServer();
  mkdirSync(join(folder, 'run'));
  mkdirSync(join(folder, 'mail'));
  const port = await freePort();
  const files = {
    'dovecot.conf': settings(folder, port, {
      ...options,
      user: owner?.name ?? userInfo().username,
    }),
    ...(options.tls && { 'tls.crt': options.tls.certificate, 'tls.key': options.tls.key }),
  };
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  if (owner)
    for (const name of ['', 'run', 'mail', ...Object.keys(files)])
      chownSync(join(folder, name), owner.uid, owner.gid);
  const startIt = () => start({ folder, port, owner, greets: options.tls === undefined });
  let child = await startIt();
  return {
    port,
    async stop() {
      await end(child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
    async restart() {
      await end(child, 'SIGTERM');
      child = await startIt();
    },
  };
}

async function start({
  folder,
  port,
  owner,
  greets,
}: {
  readonly folder: string;
  readonly port: number;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  readonly greets: boolean;
}): Promise<ChildProcess> {
  const child = spawn(PROGRAM, ['-F', '-c', join(folder, 'dovecot.conf')], {
    cwd: folder,
    stdio: 'ignore',
    ...(owner && { uid: owner.uid, gid: owner.gid }),
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Dovecot ended with status ${child.exitCode}`);
    return (await isOpen(port, greets)) || undefined;
  });
  return child;
}

const end = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });

const isOpen = (port: number, greets: boolean) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    // A server with TLS does not greet before the client has spoken.
    socket.once(greets ? 'data' : 'connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function ownerOfServer() {
  if (process.getuid?.() !== 0) return undefined;
  const run = promisify(execFile);
  const [uid = 0, gid = 0] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, USER])).stdout)),
  );
  return { name: USER, uid, gid };
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

const settings = (
  folder: string,
  port: number,
  { user, tls, format = 'mdbox', capability }: DovecotOptions & { user: string },
) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 1
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0 s
mail_location = ${format}:${folder}/mail/%u
mail_fsync = never
mail_max_userip_connections = 100
${capability === undefined ? '' : `imap_capability = ${capability}`}
${tls ? `ssl = yes\nssl_cert = <${folder}/tls.crt\nssl_key = <${folder}/tls.key` : 'ssl = no'}
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${user} gid=${user} home=${folder}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
  mailbox Junk {
    special_use = \\Junk
    auto = create
  }
  mailbox Drafts {
    special_use = \\Drafts
    auto = create
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${tls ? 0 : port}
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${tls ? port : 0}
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`;
