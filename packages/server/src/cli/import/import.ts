/**
 * `quarry import airweave` copies collections, source connections without their secrets, and webhooks from a running
 * Airweave. Everything is read first; then the plan is shown, and carried out after a question.
 */
import type { Collection } from '../../collections/schema.ts';
import { type Config, processEnvironment } from '../../config.ts';
import type { SourceConnection } from '../../connections/schema.ts';
import { isConfidential } from '../../net/addresses.ts';
import type { SourceType } from '../../sources/schema.ts';
import type { Subscription } from '../../webhooks/schema.ts';
import { confirmed } from '../confirm.ts';
import { secretOfFile } from '../connect/fields.ts';
import { Interrupted, openTerminal } from '../connect/terminal.ts';
import { INTERRUPTED } from '../follow-sync.ts';
import { liveLine, plain } from '../live-line.ts';
import type { ServiceFlags } from '../options.ts';
import { allOf, findService, type ServiceClient, serviceAt } from '../service-client.ts';
import { airweaveAddress, openAirweave } from './airweave-api.ts';
import { type AirweaveContent, readAirweave } from './airweave-content.ts';
import { carryOut, type StepResult, withoutWork } from './carry-out.ts';
import { leftText, planText, resultsData, resultText, toMakeText } from './import-text.ts';
import { planImport, type QuarryContent } from './plan.ts';

export interface ImportFlags extends ServiceFlags {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** The vendor's own programs read their key from this variable. */
const KEY_VARIABLE = 'AIRWEAVE_API_KEY';

interface ImportFrom {
  readonly url: string;
  /** The key itself, `-` for standard input, or undefined when it was not given as an argument. */
  readonly key: string | undefined;
}

/**
 * Returns the exit code: 0 when all is made that the plan has shown, 130 after Ctrl-C, and 1 otherwise. Throws an Error
 * with a message for users.
 */
export async function importAirweave(
  config: Config,
  { url, key }: ImportFrom,
  flags: ImportFlags,
): Promise<number> {
  const { address: quarry, key: ownKey } = findService(config);
  const service = serviceAt(quarry, ownKey, 'give --url');
  const address = airweaveAddress(url);
  if (!isConfidential(new URL(address)))
    warn(`the key goes to ${address} unencrypted, where others can read it on the way`);
  const theirKey = await keyOf(key);
  if (theirKey === undefined) return INTERRUPTED;
  const airweave = await read(address, theirKey);
  const steps = planImport(airweave, await contentOf(service), flags);
  if (airweave.webhooks === null) warn('this Airweave has no webhooks, so none are imported');
  if (flags.dryRun) {
    const results = steps.map(withoutWork);
    if (flags.json) printJson(results, quarry);
    else process.stdout.write(planText(steps) + leftText(results, quarry));
    return 0;
  }
  process.stderr.write(planText(steps));
  const toMake = toMakeText(steps);
  if (toMake !== '' && !flags.yes && !(await isWanted(toMake))) return 1;
  const results: StepResult[] = [];
  try {
    await carryOut(service, steps, (result) => {
      results.push(result);
      if (!flags.json) process.stdout.write(resultText(result));
    });
  } finally {
    // A program learns what was made, also when the rest was not.
    if (flags.json) printJson(results, quarry);
  }
  if (!flags.json) {
    if (toMake === '') process.stdout.write('There is nothing to import that is not there.\n');
    process.stdout.write(leftText(results, quarry));
  }
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

/** Returns undefined after Ctrl-C. */
async function keyOf(given: string | undefined): Promise<string | undefined> {
  if (given === '-') return (await secretOfFile('-')).trim();
  return given ?? (processEnvironment()[KEY_VARIABLE] || (await typedKey()));
}

async function typedKey(): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(
      `no key of Airweave: set ${KEY_VARIABLE}, or give - as the key and the key itself on standard input`,
    );
  const terminal = openTerminal(process.stdin, process.stderr, new AbortController());
  try {
    return (await terminal.askSecret('Key of Airweave')).trim();
  } catch (error) {
    if (error instanceof Interrupted) return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

async function read(address: string, key: string): Promise<AirweaveContent> {
  const line = liveLine(process.stderr);
  const tellWait = (text: string) => {
    line.clear();
    warn(text);
  };
  try {
    return await readAirweave(openAirweave(address, key, tellWait), line.show);
  } finally {
    line.clear();
  }
}

async function contentOf(service: ServiceClient): Promise<QuarryContent> {
  return {
    collections: await allOf<Collection>(service, '/v1/collections'),
    connections: await allOf<SourceConnection>(service, '/v1/source-connections'),
    webhooks: await allOf<Subscription>(service, '/v1/webhooks/subscriptions'),
    sources: await service.call<SourceType[]>('GET', '/v1/sources'),
  };
}

async function isWanted(toMake: string): Promise<boolean> {
  if (
    await confirmed(`Make ${toMake}?`, {
      input: process.stdin,
      output: process.stderr,
      advice: 'give --yes, or --dry-run to look',
    })
  )
    return true;
  process.stderr.write('nothing was imported\n');
  return false;
}

const printJson = (results: readonly StepResult[], address: string) =>
  process.stdout.write(`${JSON.stringify(resultsData(results, address), null, 2)}\n`);

const warn = (text: string) => process.stderr.write(`${plain(text)}\n`);
