/** Writes the `quarry connect` command with which a person makes a connection whose secret only they have. */
import type { ServiceFlags } from '../options.ts';

export interface ConnectionToMake {
  readonly name: string;
  readonly short_name: string;
  readonly readable_collection_id: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly cron?: string;
}

/** `where` are the flags with which the service was found. The text is safe in the shells sh, bash, zsh and fish. */
export function connectCommand(
  { name, short_name, readable_collection_id, config, description, cron }: ConnectionToMake,
  where: ServiceFlags,
): string {
  const options = {
    name,
    collection: readable_collection_id,
    description,
    cron,
    url: where.url,
    host: where.host,
    port: where.port,
    'data-dir': where.dataDir,
  };
  return [
    ...['quarry', 'connect', short_name],
    ...Object.entries(options).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option}`, value],
    ),
    ...Object.entries(config).flatMap(([field, value]) => ['--set', `${field}=${textOf(value)}`]),
  ]
    .map(quoted)
    .join(' ');
}

/** Returns the value as --set reads it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isPlainList =
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' && one === one.trim() && !/^\[|,/.test(one));
  return isPlainList ? value.join(',') : JSON.stringify(value);
}

const quoted = (word: string): string =>
  /^[\w@%+:,./-][\w@%+:,./=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
