/** `quarry start` starts the service, prints how to use it, and stops it on a signal. */
import { isatty } from 'node:tty';
import type { StartLink } from '../accounts/start-link.ts';
import { openProcess, type QuarryProcess } from '../app.ts';
import type { Config } from '../config.ts';
import { isDataDirLocked } from '../db/lock.ts';
import { createLog } from '../log.ts';
import { logFileOf } from '../log-file.ts';
import { forgetEarlierService, letCommandsIn } from './command-access.ts';
import { readRunning } from './command-files.ts';
import {
  listen,
  listenForMonitors,
  passwordAdvice,
  plainHttpWarning,
  refuseTakenAddress,
} from './listen.ts';
import { makeSample, type Sample } from './sample.ts';

export async function start(config: Config): Promise<void> {
  const steps = stopwatch();
  const log = createLog(config.QUARRY_LOG_LEVEL, { file: logFileOf(config) });
  const isApi = config.QUARRY_ROLES.includes('api');
  refuseSecondStart(config);
  // Once this process holds the data directory, commands would take the address of a killed service for that of this one.
  forgetEarlierService(config);
  if (isApi) await refuseTakenAddress(config);
  const quarry = await openProcess(config, {
    log,
    onFatal: (error) => {
      log.fatal({ err: error }, 'the service cannot go on');
      process.exit(1);
    },
  });
  closeOnSignal(quarry);
  steps.done('opened');
  const fresh = quarry.created && quarry.key !== null;
  // A new key is printed before any step that may fail, because it cannot be shown again. A key that the operator has
  // set is not printed.
  const madeKey = fresh && !config.QUARRY_API_KEY ? quarry.key : null;
  if (madeKey)
    process.stdout.write(`\n  API key    ${madeKey}\n             (shown once: keep it)\n`);
  if (quarry.keyFault) process.stdout.write(`\n  ${quarry.keyFault}\n`);
  if (quarry.operations) {
    const metrics = await orClose(quarry, listenForMonitors(quarry.operations, config));
    log.info({ metrics }, 'metrics and health can be read');
  }
  if (!isApi) return;
  const address = await orClose(quarry, listen(quarry.api, config));
  steps.done('listening');
  await openToCommands(config, address);
  const warning = plainHttpWarning(config);
  if (warning) log.warn(warning);

  const sample = fresh && wantsSample(config) ? await sampleOf(quarry, address, steps.done) : null;
  const link = await linkOf(quarry);
  process.stdout.write(
    welcome({
      address,
      dataDir: config.QUARRY_DATA_DIR,
      key: madeKey,
      steps: steps.list,
      link,
      advice: link && passwordAdvice(config, link),
      warning,
      sample,
    }),
  );
}

/** Throws an Error with a message for users when the service runs already with this data. */
function refuseSecondStart({ QUARRY_DATA_DIR: dataDir, DATABASE_URL }: Config): void {
  const running = DATABASE_URL === undefined ? readRunning(dataDir) : undefined;
  if (running && isDataDirLocked(dataDir))
    throw new Error(
      `Quarry runs already at ${running.address} with the data in ${dataDir}: 'quarry open' opens it, 'quarry stop' stops it; --data-dir takes other data`,
    );
}

async function orClose(quarry: QuarryProcess, listening: Promise<string>): Promise<string> {
  try {
    return await listening;
  } catch (error) {
    await quarry.close();
    throw error;
  }
}

/**
 * The files source must read the documentation for the sample, which an installation for several users does not allow. With
 * TLS, the certificate may not have the name of the address at which the sample would be made.
 */
const wantsSample = (config: Config) =>
  config.QUARRY_SAMPLE &&
  config.singleUser &&
  config.tls === null &&
  config.QUARRY_ROLES.includes('worker');

/** Makes the sample. A failure is only printed, because the service works without its sample. */
async function sampleOf(
  quarry: QuarryProcess,
  address: string,
  done: (step: string) => void,
): Promise<Sample | null> {
  try {
    return await makeSample(address, quarry.key, done);
  } catch (error) {
    process.stderr.write(`quarry: ${(error as Error).message}\n`);
    return null;
  }
}

/** A failure is only printed, because the service works without it, and so do commands with a key of their own. */
async function openToCommands(config: Config, address: string): Promise<void> {
  try {
    await letCommandsIn(config, address);
  } catch (error) {
    process.stderr.write(
      `quarry: commands on this machine get no key: ${(error as Error).message}\n`,
    );
  }
}

/** Makes the link to sign in. A failure is only printed, because the service works without it, and can make one later. */
async function linkOf(quarry: QuarryProcess): Promise<StartLink | null> {
  try {
    return await quarry.startLink();
  } catch (error) {
    process.stderr.write(
      `quarry: no link to sign in was made: ${(error as Error).message}; then run: quarry sign-in-link\n`,
    );
    return null;
  }
}

/** A second signal within this time is ignored: a terminal and a parent process may both send the same one. */
const ECHO_MS = 500;

/** A certificate counts after two looks. The first of these may only wait for one that has read the files of before. */
const LOOKS = 3;

/**
 * The first signal stops the service after running work has ended; a second signal ends the process at once.
 *
 * SIGHUP comes from a terminal that is closed, and from programs that have renewed a certificate. A service that was started
 * in a terminal cannot tell them apart, so it stops. Any other one with a certificate looks at its files at once.
 */
function closeOnSignal(quarry: QuarryProcess): void {
  const { certificate } = quarry;
  // A terminal that is closed is no longer known as one.
  const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
  let closingSince: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      if (signal === 'SIGHUP' && certificate && !hasTerminal) {
        for (let look = 0; look < LOOKS; look++) await certificate.look();
        return;
      }
      if (closingSince !== undefined) {
        // A shell passes on the SIGHUP that it got itself.
        const isEcho = signal === 'SIGHUP' || performance.now() - closingSince <= ECHO_MS;
        if (!isEcho) process.exit(1);
        return;
      }
      closingSince = performance.now();
      quarry.close().then(
        () => {
          if (process.stderr.isTTY) process.stderr.write('\nQuarry has stopped.\n');
          process.exit(0);
        },
        (error) => {
          process.stderr.write(`quarry: could not stop cleanly: ${error.message}\n`);
          process.exit(1);
        },
      );
    });
  }
}

function stopwatch() {
  const list: string[] = [];
  let last = performance.now();
  const done = (what: string) => {
    const now = performance.now();
    list.push(`${what} ${((now - last) / 1000).toFixed(2)} s`);
    last = now;
  };
  return { list: list as readonly string[], done };
}

function welcome(facts: {
  address: string;
  dataDir: string;
  key: string | null;
  steps: readonly string[];
  link: StartLink | null;
  advice: string | null;
  warning: string | null;
  sample: Sample | null;
}): string {
  const lines = [
    '',
    `  Quarry is ready at ${facts.address}`,
    '',
    `  Data       ${facts.dataDir}`,
    `  Reference  ${facts.address}/docs`,
    `  Took       ${facts.steps.join(', ')}`,
    '',
  ];
  if (facts.sample) {
    const key = facts.key ?? '$QUARRY_API_KEY';
    lines.push(
      `  The sample collection ${facts.sample.readableId} holds ${facts.sample.entities} documents. A program searches it like this:`,
      '',
      `  curl -s ${facts.address}/v1/collections/${facts.sample.readableId}/search \\`,
      `    -H "authorization: Bearer ${key}" -H 'content-type: application/json' \\`,
      `    -d '${JSON.stringify({ query: facts.sample.query, limit: 1 })}'`,
      '',
      `  Answer     ${facts.sample.answer.replaceAll(/\s+/g, ' ')}`,
      '',
    );
  }
  if (facts.warning) lines.push(`  Warning    ${facts.warning}`, '');
  if (facts.advice) lines.push(`  Password   ${facts.advice}`, '');
  // The link stands last, because most people need nothing else.
  if (facts.link)
    lines.push(
      `  Sign in    ${facts.link.url}`,
      '             (open it in a browser; it works once, and for 24 hours; quarry sign-in-link makes another)',
      '',
    );
  else lines.push('  Sign in    quarry sign-in-link makes a link that signs the owner in', '');
  return `${lines.join('\n')}\n`;
}
