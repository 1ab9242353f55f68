/** Finds out which program listens at a port of this machine, as far as this user may know it. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

export interface Listener {
  readonly pid: number;
  readonly name: string;
}

/** Returns undefined when another user runs the program, or when the platform does not tell. */
export async function whoListens(port: number): Promise<Listener | undefined> {
  if (process.platform === 'linux') return listenerInProc(port);
  return process.platform === 'darwin' ? listenerByLsof(port) : undefined;
}

/** The state of a listening socket in /proc/net/tcp (proc(5)). */
const LISTEN = '0A';

function listenerInProc(port: number): Listener | undefined {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((path) => (ifReadable(() => readFileSync(path, 'utf8')) ?? '').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter((cells) => cells[1]?.endsWith(end) && cells[3] === LISTEN)
    .map((cells) => `socket:[${cells[9]}]`);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = pids.find((one) => {
    const folder = `/proc/${one}/fd`;
    const files = ifReadable(() => readdirSync(folder)) ?? [];
    return files.some((file) =>
      sockets.includes(ifReadable(() => readlinkSync(`${folder}/${file}`)) ?? ''),
    );
  });
  if (pid === undefined) return undefined;
  const program = ifReadable(() => readlinkSync(`/proc/${pid}/exe`));
  return { pid: Number(pid), name: basename(program ?? 'a program') };
}

/** Returns undefined for what belongs to another user, or has ended meanwhile. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' || code === 'ESRCH')
      return undefined;
    throw error;
  }
}

async function listenerByLsof(port: number): Promise<Listener | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const found = await promisify(execFile)('lsof', args).catch((error: NodeJS.ErrnoException) => {
    // Its exit status is 1 when it finds nothing.
    if (typeof error.code === 'number' || error.code === 'ENOENT') return { stdout: '' };
    throw error;
  });
  const pid = /^p(\d+)$/m.exec(found.stdout)?.[1];
  const name = /^c(.+)$/m.exec(found.stdout)?.[1];
  return pid === undefined ? undefined : { pid: Number(pid), name: name ?? 'a program' };
}
