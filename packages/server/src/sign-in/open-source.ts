/**
 * Opens the source of a connection: with validated settings, decrypted credentials, and requests that are signed and
 * counted. Syncs, live searches, the doctor and the checks of new connections all open sources here. Disposing of an
 * opened source removes what it has downloaded.
 */
import type { Logger } from 'pino';
import { SourceError } from '../errors.ts';
import { openCredentials, type Vault } from '../secrets.ts';
import {
  openContext,
  type Source,
  type SourceContext,
  type SourceEnvironment,
} from '../sources/define.ts';
import { openDownloads } from '../sources/downloads.ts';
import { directAuthorizer } from './direct.ts';

export interface SignInDeps {
  readonly vault: Vault;
  readonly sources: ReadonlyMap<string, Source>;
  readonly environment: SourceEnvironment;
  readonly log: Logger;
}

/** These are the columns of a connection that its source needs. */
export interface ConnectionToOpen {
  readonly id: string;
  readonly organization_id: string;
  readonly short_name: string;
  readonly config: unknown;
  readonly auth_method: string;
  readonly credentials: string | null;
  readonly credentials_key: string | null;
}

/** The caller bounds and counts the work with these; a pull adds its cursor and its bookmark. */
export type Call = Pick<SourceContext<unknown, unknown>, 'signal' | 'meter'>;

interface OpenedSource<Added> extends AsyncDisposable {
  readonly source: Source;
  readonly context: SourceContext<unknown, unknown> & Added;
}

/** Throws a SourceError 'config' when the source is not installed or the credentials cannot be opened. */
export function openSource<Added extends Call>(
  deps: SignInDeps,
  connection: ConnectionToOpen,
  call: Added,
): OpenedSource<Added> {
  const source = deps.sources.get(connection.short_name);
  if (!source)
    throw new SourceError('config', `the source '${connection.short_name}' is not installed`);
  const credentials = openCredentials(deps.vault, connection);
  return openUnsaved(deps, { source, config: connection.config, credentials }, call);
}

/** Settings that are not stored yet, because the source is asked first whether it accepts them. */
export interface UnsavedSettings {
  readonly source: Source;
  readonly config: unknown;
  readonly credentials: unknown;
}

/** Throws a ZodError when the settings do not fit the schemas of the source. */
export function openUnsaved<Added extends Call>(
  { environment, log }: Omit<SignInDeps, 'vault' | 'sources'>,
  { source, config, credentials }: UnsavedSettings,
  call: Added,
): OpenedSource<Added> {
  const downloads = openDownloads(environment.downloadsFolder);
  const context = openContext(source, {
    ...environment,
    ...call,
    downloads,
    authorizer: directAuthorizer(source, credentials),
    config,
    credentials,
    log: log.child({ source: source.shortName }),
  });
  return { source, context, [Symbol.asyncDispose]: () => downloads.close() };
}
