/**
 * A service leaves two files in its data directory, which only its user can read. By them the commands on the same machine
 * find the service: its address while it runs, and a key that stays.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Running = z.object({ address: z.url(), pid: z.int().positive() });

export type RunningService = z.infer<typeof Running>;

const addressFile = (dataDir: string) => join(dataDir, 'service.json');
const keyFile = (dataDir: string) => join(dataDir, 'command.key');

/** Returns undefined when no service of this data directory has said where it runs. It may have been killed since. */
export function readRunning(dataDir: string): RunningService | undefined {
  const path = addressFile(dataDir);
  return existsSync(path) ? Running.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

export const writeRunning = (dataDir: string, service: RunningService): void =>
  writeForUser(addressFile(dataDir), JSON.stringify(service));

export function removeRunning(dataDir: string): void {
  const path = addressFile(dataDir);
  if (existsSync(path)) rmSync(path, { force: true });
}

/** Returns undefined when no start has made a key for commands. */
export function readCommandKey(dataDir: string): string | undefined {
  const path = keyFile(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

export const writeCommandKey = (dataDir: string, key: string): void =>
  writeForUser(keyFile(dataDir), `${key}\n`);

/** The file has its whole content from the moment on at which it has its name. */
function writeForUser(path: string, content: string): void {
  const next = `${path}.${process.pid}`;
  writeFileSync(next, content, { mode: 0o600 });
  renameSync(next, path);
}
