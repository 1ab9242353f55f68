/**
 * Opens a sign-in link in the browser of this machine. Everybody on the machine sees the arguments of programs, and whoever
 * opens the link first signs in, so the link reaches the browser by a file that only this user can read.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Program = readonly [command: string, ...args: string[]];

/** The program opens a file in the usual browser of the platform. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, Program>>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

interface OpenedLink {
  /** Is false when this machine shows no browser, so that the person has to open the link. */
  readonly isOpened: boolean;
  /** Removes the file. */
  close(): Promise<void>;
}

/** The file that leads to the link is removed by `close`. */
export async function openLink(link: string, env: NodeJS.ProcessEnv): Promise<OpenedLink> {
  if (!programOf(env)) return { isOpened: false, close: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'quarry-sign-in-'));
  const file = join(folder, 'sign-in.html');
  await writeFile(file, pageTo(link), { mode: 0o600 });
  const isOpened = await openAddress(file, env);
  return { isOpened, close: () => rm(folder, { recursive: true, force: true }) };
}

/** Everybody on this machine may see the address. Returns false when this machine shows no browser. */
export async function openAddress(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const program = programOf(env);
  if (!program) return false;
  const [command, ...args] = program;
  const child = spawn(command, [...args, address], { detached: true, stdio: 'ignore' });
  // Only whether the program starts is known: it may stay as long as the browser.
  const isOpened = await Promise.race([
    once(child, 'spawn').then(() => true),
    once(child, 'error').then(() => false),
  ]).catch(() => false);
  child.unref();
  return isOpened;
}

function programOf(env: NodeJS.ProcessEnv): Program | undefined {
  const hasScreen =
    process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER);
  return hasScreen ? PROGRAMS[process.platform] : undefined;
}

function pageTo(link: string): string {
  const url = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}"><title>Sign in</title><a href="${url}">Sign in</a>
`;
}
