/** `quarry status` says what is connected, how fresh it is, what failed, and how to mend it. */
import { styleText } from 'node:util';
import { counted } from '#quarry-text/numbers';
import { ago } from '#quarry-text/time';
import type { Config } from '../config.ts';
import type { SourceConnection } from '../connections/schema.ts';
import { plain } from './live-line.ts';
import { itemsOf, runningService } from './service-client.ts';

interface ConnectionState {
  readonly connection: SourceConnection;
  /** It is null where nothing has failed. */
  readonly failure: Failure | null;
}

interface Failure {
  readonly message: string;
  readonly hint: string;
}

interface StatusFlags {
  readonly json?: boolean;
}

/** Returns true when nothing has failed and nobody must sign in. */
export async function status(config: Config, { json = false }: StatusFlags): Promise<boolean> {
  const service = runningService(config);
  const lines: ConnectionState[] = [];
  for await (const connection of itemsOf<SourceConnection>(service, '/v1/source-connections'))
    lines.push({ connection, failure: failureOf(connection) });
  process.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : textOf(lines, Date.now()));
  return lines.every(({ failure }) => failure === null);
}

export function failureOf({ id, status: state, auth, sync }: SourceConnection): Failure | null {
  if (state === 'PENDING_AUTH' || state === 'NEEDS_REAUTH')
    return {
      message: auth.sign_in_error?.message ?? 'nobody has signed in',
      hint: 'Sign in on the page of the connection in the dashboard.',
    };
  if (state !== 'ERROR' || !sync.last_job) return null;
  const { error, error_details: details } = sync.last_job;
  return {
    message: details?.message ?? error ?? 'the last sync failed',
    hint: details?.hint ?? `Try again: quarry sync ${id}`,
  };
}

function textOf(lines: readonly ConnectionState[], now: number): string {
  if (lines.length === 0) return 'Nothing is connected yet: quarry add ~/notes\n';
  const groups = Map.groupBy(lines, ({ connection }) => connection.readable_collection_id);
  const width = Math.max(...lines.map(({ connection }) => connection.name.length));
  return [...groups]
    .flatMap(([collection, some]) => [
      styleText('bold', plain(collection)),
      ...some.flatMap((line) => rowsOf(line, { width, now })),
      '',
    ])
    .join('\n');
}

function rowsOf(
  { connection, failure }: ConnectionState,
  { width, now }: { readonly width: number; readonly now: number },
): string[] {
  const { name, short_name, status: state, true_as_of, entities, watch } = connection;
  const held = connection.deletions_held_back?.count;
  const word = failure ? styleText('red', WORDS[state]) : WORDS[state];
  const read = true_as_of === null ? 'never read' : `read ${ago(Date.parse(true_as_of), now)}`;
  const records = counted(entities.total_entities, 'record');
  const watched = watch?.state === 'watching' ? ['watched'] : [];
  const cells = [plain(name).padEnd(width), plain(short_name), word, read, records, ...watched];
  return [
    `  ${cells.join('  ')}`,
    ...(failure ? [failure.message, failure.hint] : []).map((text) => `    ${plain(text)}`),
    ...(watch?.message && watch.message !== failure?.message
      ? [`    ${plain(watch.message)}`]
      : []),
    ...(held === undefined
      ? []
      : [`    ${counted(held, 'deletion')} wait until somebody confirms them in the dashboard.`]),
  ];
}

const WORDS: Readonly<Record<SourceConnection['status'], string>> = {
  ACTIVE: 'up to date',
  SYNCING: 'syncing',
  ERROR: 'failed',
  PENDING_AUTH: 'waits for sign-in',
  NEEDS_REAUTH: 'sign-in refused',
  INACTIVE: 'switched off',
};
