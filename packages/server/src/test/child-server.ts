/** Runs a server of another maker, such as nginx, as a child process of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { until } from './until.ts';

export interface ChildServer {
  readonly child: ChildProcess;
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<void>;
}

export interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The server is ready when it takes connections at this port of 127.0.0.1. */
  readonly port: number;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Waits until the server takes connections. Throws what it has written when it ends before. */
export async function startChild({
  program,
  args,
  port,
  owner,
}: ChildCommand): Promise<ChildServer> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...owner });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      // A server that logs each request would otherwise fill the memory of the test.
      written = `${written}${bytes}`.slice(-10_000);
    });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      written += error.message;
      hasEnded = true;
      resolve();
    });
    child.once('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  await until(async () => {
    if (hasEnded) throw new Error(`${program} ended, and wrote: ${written}`);
    return takesConnections(port);
  });
  return {
    child,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
