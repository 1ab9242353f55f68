/** Opens the source of a connection with what a pull needs: validated settings and decrypted credentials. */
import type { Logger } from 'pino';
import { SourceError } from '../../errors.ts';
import { openCredentials, type Vault } from '../../secrets.ts';
import {
  openContext,
  type PullContext,
  type Source,
  type SourceEnvironment,
} from '../../sources/define.ts';
import type { SyncedConnection } from './run-store.ts';

export interface SourceDeps {
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly log: Logger;
}

/** Throws a SourceError 'config' when the source is not installed or the credentials cannot be opened. */
export function openSource(
  deps: SourceDeps,
  connection: SyncedConnection,
  pull: Pick<PullContext<unknown, unknown, unknown>, 'cursor' | 'bookmark' | 'signal' | 'meter'>,
): { readonly source: Source; readonly context: PullContext<unknown, unknown, unknown> } {
  const source = deps.sources.get(connection.short_name);
  if (!source)
    throw new SourceError('config', `the source '${connection.short_name}' is not installed`);
  const context = openContext(source, {
    ...deps.environment,
    ...pull,
    config: connection.config,
    credentials: openCredentials(deps.vault, connection),
    cursorField: connection.cursor_field,
    log: deps.log.child({ source: source.shortName }),
  });
  return { source, context };
}

/** Wraps errors that a source should not throw, because none of them may look like an error of our own database. */
export async function* ofSource<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new Error('the source broke', { cause: error });
  }
}
