/** `quarry stop` ends the service that runs with the data of this machine, and waits until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { isDataDirLocked } from '../db/lock.ts';
import { readRunning } from './command-files.ts';
import { tlsFault } from './tls-fault.ts';

const POLL_MS = 50;
/** A service that stops finishes its current work first. */
const PATIENCE_MS = 60_000;

/** Throws an Error with a message for users when no service runs, and when it has not ended in time. */
export async function stop({ QUARRY_DATA_DIR: dataDir }: Config): Promise<void> {
  const running = readRunning(dataDir);
  // A process that was killed leaves its file behind, and its number may belong to another program by now.
  if (!running || !isDataDirLocked(dataDir) || !(await answers(running.address)))
    throw new Error(
      `no Quarry runs with the data in ${dataDir}: name another folder with --data-dir`,
    );
  process.kill(running.pid, 'SIGTERM');
  const deadline = performance.now() + PATIENCE_MS;
  while (isAlive(running.pid)) {
    if (performance.now() > deadline)
      throw new Error(
        `the service still finishes its work: its process has the number ${running.pid}`,
      );
    await sleep(POLL_MS);
  }
  process.stdout.write(`Quarry at ${running.address} has stopped.\n`);
}

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/health/live`)).ok;
  } catch (error) {
    // Something speaks TLS there, by a name that its certificate does not have.
    if (tlsFault(error) !== null) return true;
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
