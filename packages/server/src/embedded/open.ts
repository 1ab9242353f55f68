/** Opens a process (app.ts), finds its key, and gives the client whose requests reach the API of that process. */
import { createQuarryClient } from 'quarry-client';
import { openProcess, type QuarryProcess } from '../app.ts';
import { commandKey, forgetEarlierService } from '../cli/command-access.ts';
import { readRunning, writeCommandKey } from '../cli/command-files.ts';
import type { Config } from '../config.ts';
import { isDataDirLocked } from '../db/lock.ts';
import { configOf, inOptionNames } from './configuration.ts';
import { hostLog } from './host-log.ts';
import { createRequestSender } from './in-process.ts';
import { type EmbeddedQuarry, methodsOf } from './methods.ts';
import type { EmbeddedOptions } from './options.ts';

/** The requests stay in this process, and the address is never asked. */
const ADDRESS = 'http://localhost';

/** Throws an Error that names options, and no settings and flags of commands. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedQuarry> {
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
  const { promise: broken, resolve: breakDown } = Promise.withResolvers<Error>();
  const running = await openProcess(config, {
    log,
    threads: options.threads ? 'one log' : false,
    onFatal(error) {
      log.fatal({ err: error }, 'Quarry cannot go on');
      breakDown(error);
      options.onFatal?.(error);
    },
  });
  try {
    const sender = createRequestSender(running.api);
    void broken.then(sender.refuse);
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
