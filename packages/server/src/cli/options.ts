/** Several commands share these options. */
import type { Command } from 'commander';
import { type Config, processEnvironment, readConfig } from '../config.ts';

export interface ServiceFlags {
  readonly port?: string;
  readonly host?: string;
  readonly url?: string;
  readonly dataDir?: string;
}

/** Reads the settings of the environment, in which flags of the command line come first. */
export const configOf = (flags: ServiceFlags): Config =>
  readConfig(withFlags(processEnvironment(), flags));

export const withFlags = (env: NodeJS.ProcessEnv, flags: ServiceFlags): NodeJS.ProcessEnv => ({
  ...env,
  ...(flags.port !== undefined && { QUARRY_PORT: flags.port }),
  ...(flags.host !== undefined && { QUARRY_HOST: flags.host }),
  ...(flags.url !== undefined && { QUARRY_URL: flags.url }),
  ...(flags.dataDir !== undefined && { QUARRY_DATA_DIR: flags.dataDir }),
});

export const DATA_DIR = [
  '--data-dir <path>',
  'data directory of the service (QUARRY_DATA_DIR)',
] as const;

const WHICH = `
The command asks the service that runs with the data of this machine. For another one, give --url and set
QUARRY_API_KEY to a key of it.`;

/** Adds a command that asks the running service. */
export const serviceCommand = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name)
    .description(description)
    .option('--url <address>', 'address of another service (QUARRY_URL)')
    .option('--port <number>', 'port of the service (QUARRY_PORT)')
    .option('--host <address>', 'address of the service (QUARRY_HOST)')
    .option(...DATA_DIR)
    .addHelpText('after', WHICH);
