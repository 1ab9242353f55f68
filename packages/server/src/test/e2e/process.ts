/** Runs the real program as a process of its own, on a free port and with a data directory of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../child-environment.ts';
import { until } from '../until.ts';

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url));
export const TEST_KEY = `quarry_${'t'.repeat(43)}`;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line to its end. */
export function runToEnd(args: readonly string[], env: Record<string, string> = {}): Promise<Exit> {
  return launch(args, env).exited;
}

/** `through` is a command that ends by running the words that follow it. */
export function launch(
  args: readonly string[],
  env: Record<string, string> = {},
  through: readonly string[] = [],
) {
  const [program = '', ...rest] = [...through, process.execPath, '-C', 'quarry', MAIN, ...args];
  const child = spawn(program, rest, {
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const exited = new Promise<Exit>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, output, exited };
}

export function tempDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'quarry-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Server {
  readonly child: ChildProcess;
  readonly address: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<Exit>;
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: any }>;
  /** Sends SIGTERM, and waits for the end. */
  stop(): Promise<Exit>;
  /** Sends SIGKILL, and waits for the end. */
  kill(): Promise<Exit>;
}

/** Waits until the service says that it is ready. */
export async function startServer(
  dataDir: string,
  options: {
    args?: readonly string[];
    env?: Record<string, string>;
    key?: string;
    through?: readonly string[];
  } = {},
): Promise<Server> {
  const { args = ['--no-sample'], env = { QUARRY_API_KEY: TEST_KEY }, key = TEST_KEY } = options;
  const { child, output, exited } = launch(
    ['start', '--port', '0', '--data-dir', dataDir, ...args],
    env,
    options.through,
  );
  let ended: Exit | undefined;
  void exited.then((exit) => {
    ended = exit;
  });
  const ready = /ready at (http:\S+)/;
  try {
    await until(() => {
      assert.ok(!ended, `the service ended: ${ended?.stderr}`);
      return ready.test(output.stdout);
    });
  } catch (error) {
    if (ended) throw error;
    // Nobody else can end the service, and its process would keep the process of the test alive.
    child.kill('SIGKILL');
    const written = JSON.stringify(output);
    throw new Error(`the service did not become ready, and wrote ${written}`, { cause: error });
  }
  const address = ready.exec(output.stdout)?.[1] ?? '';
  const signal = (name: NodeJS.Signals) => {
    child.kill(name);
    return exited;
  };
  return {
    child,
    address,
    exited,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: () => signal('SIGTERM'),
    kill: () => signal('SIGKILL'),
    async call(method, path, body) {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parse(text) };
    },
  };
}

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    // The caller asked for a page that is not JSON.
    return text;
  }
};

/** Waits until the connection's newest job has ended. */
export const untilSynced = (server: Server, connectionId: string, ms = 120_000) =>
  until(async () => {
    const { body } = await server.call(
      'GET',
      `/v1/source-connections/${connectionId}/jobs?limit=1`,
    );
    const [job] = body;
    return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(job?.status) && job;
  }, ms);
