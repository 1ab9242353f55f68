/** Runs the real program as a process of its own, and sends it the requests of a benchmark. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BUNDLES, keepPrepared, preparedCode } from '../scripts/prepared-code.ts';

const MAIN = 'packages/server/src/main.ts';
const SOURCE = fileURLToPath(new URL(`../${MAIN}`, import.meta.url));
const KEY = `quarry_${'b'.repeat(43)}`;

export type Service = Awaited<ReturnType<typeof start>>;

/** Starts the code of this checkout, as `npm start` does. */
export function startService(
  dataDir: string,
  args: readonly string[] = ['--no-sample'],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const prepared = preparedCode(BUNDLES);
  if (prepared !== undefined) keepPrepared(prepared);
  return start(prepared === undefined ? SOURCE : join(prepared, 'main.js'), {
    ...{ dataDir, args, environment },
  });
}

/** Starts the sources of a checkout, for a bench that compares two of them. */
export const startCheckout = (
  folder: string,
  dataDir: string,
  environment: Readonly<Record<string, string>>,
): Promise<Service> => start(join(folder, MAIN), { dataDir, args: ['--no-sample'], environment });

async function start(
  main: string,
  {
    dataDir,
    args,
    environment,
  }: {
    readonly dataDir: string;
    readonly args: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
  },
) {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    // The options, the allocator's settings and the code are those of `npm start`.
    [
      '--max-semi-space-size=4',
      '--heap-growing-percent=30',
      '-C',
      'quarry',
      main,
      'start',
      '--port',
      '0',
      '--data-dir',
      dataDir,
      ...args,
    ],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        QUARRY_API_KEY: KEY,
        QUARRY_LOG_LEVEL: 'warn',
        MALLOC_ARENA_MAX: '2',
        MALLOC_MMAP_THRESHOLD_: '262144',
        MALLOC_TRIM_THRESHOLD_: '4194304',
        // A watched folder would start syncs between those that are measured.
        QUARRY_WATCH: 'false',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let stdout = '';
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  let address: string | undefined;
  while (!address) {
    if (child.exitCode !== null) throw new Error('the service ended');
    await sleep(5);
    address = /ready at (http:\S+)/.exec(stdout)?.[1];
  }
  const readyAfterMs = performance.now() - startedAt;
  const { pid } = child;
  if (pid === undefined) throw new Error('the service has no process');

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Asks the tool server. */
  async function askTools(message: unknown, headers: Readonly<Record<string, string>>) {
    return fetch(`${address}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    });
  }

  return {
    address,
    pid,
    readyAfterMs,
    call,
    async mcp(message: unknown, headers: Readonly<Record<string, string>>) {
      const text = await (await askTools(message, headers)).text();
      // The answer is one message, as JSON or as a server-sent event.
      return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    },
    async openSession(collection: string): Promise<string> {
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const answer = await askTools(ping, { 'x-collection-readable-id': collection });
      await answer.text();
      const session = answer.headers.get('mcp-session-id');
      if (session === null) throw new Error('the tool server gives no session');
      return session;
    },
    /** Waits for the end of the connection's newest job, and returns it with its duration. */
    async settled(connectionId: string) {
      for (;;) {
        const [job] = await call('GET', `/v1/source-connections/${connectionId}/jobs?limit=1`);
        if (job.status === 'COMPLETED') return call('GET', `/v1/sync/jobs/${job.id}`);
        if (['FAILED', 'CANCELLED'].includes(job.status)) throw new Error(JSON.stringify(job));
        await sleep(20);
      }
    },
    /** Returns the time of one search over HTTP in milliseconds. */
    async search(collection: string, query: string, strategy: string): Promise<number> {
      const before = performance.now();
      await call('POST', `/v1/collections/${collection}/search`, {
        query,
        retrieval_strategy: strategy,
        expand_query: false,
        generate_answer: false,
      });
      return performance.now() - before;
    },
    /** Returns the time of one agentic search over HTTP in milliseconds. */
    async ask(collection: string, query: string, mode: string): Promise<number> {
      const before = performance.now();
      await call('POST', `/v1/collections/${collection}/agentic-search`, { query, mode });
      return performance.now() - before;
    },
    /** Returns the processor time in milliseconds of all threads of the service since it was started. */
    processorMs(): number {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      // utime and stime are in hundredths of a second; the name before them may contain any character. See proc(5).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    residentMb: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    },
    /** Ends the service at once, whatever it does. */
    async kill() {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
