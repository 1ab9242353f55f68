/**
 * The options of an embedded Quarry become a configuration through the schema of the settings (config.ts), so a wrong value
 * is refused with the same sentence. The environment is not read, because it belongs to the program around Quarry.
 */
import { type Config, readConfig, Settings } from '../config.ts';
import type { EmbeddedLog } from './host-log.ts';

export interface EmbeddedOptions {
  /** The folder of the data, which is made when it does not exist; `.quarry` in the current folder when omitted. */
  readonly dataDir?: string;
  /** PostgreSQL 15 or newer, as postgres://user:password@host/database. When omitted, SQLite in `dataDir` is used. */
  readonly databaseUrl?: string;
  /**
   * The key with which the methods call Quarry. When omitted, it is kept in `dataDir`; with `databaseUrl` it is needed. The
   * first opening stores a new one, which is `quarry_` and 43 characters of A-Z a-z 0-9 - _.
   */
  readonly apiKey?: string;
  /** The key that encrypts credentials, of at least 32 characters. When omitted, it is kept in `dataDir`. */
  readonly encryptionKey?: string;
  /** If false, another process does the syncs and pushes, which needs `databaseUrl`. True when omitted. */
  readonly worker?: boolean;
  /** If true, syncs and searches run in threads of their own. When omitted, they run in the thread of the caller. */
  readonly threads?: boolean;
  /** Every other setting, by its name in docs and in `quarry config`, such as QUARRY_LLM. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Gets what Quarry has to say, such as `console` or the logger pino. When omitted, nothing is logged. */
  readonly log?: EmbeddedLog;
  /** The least severe level of what `log` gets; `info` when omitted. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Is called when Quarry cannot go on. Every later call is refused with the same error. */
  readonly onFatal?: (error: Error) => void;
}

/** These settings have an option. */
const OPTION_OF: Readonly<Record<string, keyof EmbeddedOptions>> = {
  QUARRY_DATA_DIR: 'dataDir',
  DATABASE_URL: 'databaseUrl',
  QUARRY_API_KEY: 'apiKey',
  QUARRY_ENCRYPTION_KEY: 'encryptionKey',
  QUARRY_ROLES: 'worker',
  QUARRY_LOG_LEVEL: 'logLevel',
};

/** These settings are about a service that listens. */
const OF_SERVICES = [
  'QUARRY_PORT',
  'QUARRY_HOST',
  'QUARRY_URL',
  'QUARRY_TRUSTED_PROXIES',
  'QUARRY_CORS_ORIGINS',
  'QUARRY_SAMPLE',
];

const OPTIONS = [...Object.values(OPTION_OF), 'threads', 'settings', 'log', 'onFatal'];

/** Throws an Error with a sentence for each wrong option. */
export function configOf(options: EmbeddedOptions): Config {
  const strange = Object.keys(options).filter((name) => !OPTIONS.includes(name));
  if (strange.length > 0)
    throw new Error(`${strange.join(', ')}: this option does not exist: use ${OPTIONS.join(', ')}`);
  const { dataDir, databaseUrl, apiKey, encryptionKey, settings = {} } = options;
  const refused = Object.keys(settings).flatMap((name) => whyRefused(name) ?? []);
  if (refused.length > 0) throw new Error(refused.join('\n'));
  const config = readConfig({
    ...settings,
    QUARRY_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    QUARRY_API_KEY: apiKey,
    QUARRY_ENCRYPTION_KEY: encryptionKey,
    QUARRY_ROLES: options.worker === false ? 'api' : undefined,
    QUARRY_LOG_LEVEL: options.log ? options.logLevel : 'silent',
  });
  if (config.DATABASE_URL !== undefined && config.QUARRY_API_KEY === undefined)
    throw new Error(
      'DATABASE_URL needs QUARRY_API_KEY, because the database has only hashes of its keys: give one that exists, or for a new database any that is quarry_ and 43 characters of A-Z a-z 0-9 - _',
    );
  return config;
}

function whyRefused(name: string): string | undefined {
  const option = OPTION_OF[name];
  if (option) return `settings.${name}: give the option ${option} instead`;
  if (OF_SERVICES.includes(name))
    return `settings.${name}: it has no effect, because an embedded Quarry does not listen: leave it out`;
  return name in Settings.shape
    ? undefined
    : `settings.${name}: this setting does not exist: 'quarry config' lists all`;
}

/** Messages name settings and flags of commands. A program knows their options instead. */
export const inOptionNames = (message: string): string =>
  Object.entries(OPTION_OF).reduce(
    (text, [setting, option]) => text.replaceAll(setting, option),
    message.replaceAll('--data-dir', 'dataDir'),
  );
