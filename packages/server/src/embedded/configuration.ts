/**
 * The options of an embedded Quarry become a configuration through the schema of the settings (config.ts), so a wrong value
 * is refused with the same sentence. The environment is not read, because it belongs to the program around Quarry.
 */
import { type Config, readConfig, Settings } from '../config.ts';
import type { EmbeddedOptions } from './options.ts';

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
  'QUARRY_METRICS_PORT',
  'QUARRY_METRICS_HOST',
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
