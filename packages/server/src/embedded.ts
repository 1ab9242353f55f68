/**
 * Quarry inside of a Node program. This file is what the package `quarry` exports: it opens a process (app.ts) and gives the
 * client of the API, which sends its requests to that process without a port (docs/decisions/0036-embedded.md).
 */
import { createQuarryClient, type QuarryClient } from '#quarry-client';
import { openProcess, type QuarryProcess } from './app.ts';
import { commandKey, forgetEarlierService } from './cli/command-access.ts';
import { readRunning, writeCommandKey } from './cli/command-files.ts';
import type { Config } from './config.ts';
import { isDataDirLocked } from './db/lock.ts';
import { hostLog } from './embedded/host-log.ts';
import { createRequestSender } from './embedded/in-process.ts';
import { type EmbeddedMethods, methodsOf } from './embedded/methods.ts';
import { configOf, type EmbeddedOptions, inOptionNames } from './embedded/options.ts';

// biome-ignore lint/performance/noBarrelFile: a package has one entry.
export {
  type AgenticEvent,
  bodyOf,
  eventsOf,
  itemsOf,
  pageOf,
  pagesAfter,
  type QuarryClient,
  QuarryError,
  type QuarrySchemas,
  type SyncJobEvent,
} from '#quarry-client';
export type { EmbeddedLog } from './embedded/host-log.ts';
export type * from './embedded/methods.ts';
export type { EmbeddedOptions } from './embedded/options.ts';

export interface EmbeddedQuarry extends EmbeddedMethods, AsyncDisposable {
  /** Every operation of the API, as with a service. Its errors are thrown by `bodyOf`. */
  readonly client: QuarryClient;
  /** Waits for the work that has begun, and closes everything. A second call waits for the first one. */
  close(): Promise<void>;
}

/** The requests stay in this process, and the address is never asked. */
const ADDRESS = 'http://localhost';

/**
 * Opens Quarry in this process, without a port. Throws an Error with a sentence for each wrong option, and when another
 * process holds the data.
 */
export async function openQuarry(options: EmbeddedOptions = {}): Promise<EmbeddedQuarry> {
  try {
    return await open(options);
  } catch (error) {
    throw new Error(inOptionNames((error as Error).message), { cause: error });
  }
}

async function open(options: EmbeddedOptions): Promise<EmbeddedQuarry> {
  const config = configOf(options);
  refuseHeldData(config);
  forgetEarlierService(config);
  const log = hostLog(config.QUARRY_LOG_LEVEL, options.log);
  let refuse = (_error: Error): void => {};
  const running = await openProcess(config, {
    log,
    threads: options.threads ? 'one log' : false,
    onFatal(error) {
      log.fatal({ err: error }, 'Quarry cannot go on');
      refuse(error);
      options.onFatal?.(error);
    },
  });
  try {
    const sender = createRequestSender(running.api);
    refuse = sender.refuse;
    const apiKey = await keyOf(running, config);
    await running.api.ready();
    // Nothing lies between the client and the API that fails for a moment, so a failure is told at once.
    const client = createQuarryClient({ url: ADDRESS, apiKey, retries: 0, fetch: sender.send });
    let closed: Promise<void> | undefined;
    const close = () => {
      sender.refuse(new Error('this Quarry is closed: open it again with openQuarry'));
      closed ??= running.close();
      return closed;
    };
    return { ...methodsOf(client), client, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** Returns the key of the options, or else the one that the data directory keeps for commands on this machine. */
async function keyOf({ key, keyFault }: QuarryProcess, config: Config): Promise<string> {
  if (keyFault !== null) throw new Error(keyFault);
  if (config.QUARRY_API_KEY !== undefined) return config.QUARRY_API_KEY;
  if (key === null) return commandKey(config);
  writeCommandKey(config.QUARRY_DATA_DIR, key);
  return key;
}

function refuseHeldData({ QUARRY_DATA_DIR: dataDir, DATABASE_URL }: Config): void {
  if (DATABASE_URL !== undefined || !isDataDirLocked(dataDir)) return;
  const address = readRunning(dataDir)?.address;
  throw new Error(
    address === undefined
      ? `${dataDir} is open in another program, or already in this one: close it there, or give another dataDir`
      : `Quarry runs already at ${address} with the data in ${dataDir}: ask it by quarry-client, stop it with 'quarry stop', or give another dataDir`,
  );
}
