/**
 * This file checks what a caller gives for a connection: settings, credentials and transformers. It also
 * asks the source whether it accepts the settings and credentials.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '../context.ts';
import { invalid } from '../errors.ts';
import { parsePart } from '../http/parse-part.ts';
import type { Sealed } from '../model/sealed.ts';
import { isOAuth } from '../sign-in/needed.ts';
import type { AuthMethod } from '../sources/auth.ts';
import { checkSettings, markedFields, type Source, syncMode } from '../sources/define.ts';
import { movedField } from '../sources/servers.ts';
import { askSource, type SourceToAsk } from './ask-source.ts';
import { type SignIn, signInOf } from './authentication.ts';
import type { SourceConnectionPatch } from './schema.ts';

/** Returns the validated settings. Throws a 422 with a fault for each wrong field. */
export function parseConfig(source: Source, config: unknown): Record<string, unknown> {
  return parsePart(source.config, config ?? {}, ['body', 'config']) as Record<string, unknown>;
}

/** Returns true when these settings, written as JSON and read again, equal the stored ones. */
export const isSameConfig = (
  config: Record<string, unknown>,
  stored: Record<string, unknown>,
): boolean => isDeepStrictEqual(JSON.parse(JSON.stringify(config)), stored);

/** Returns true when the settings are the same but for those that say only when the source is read. */
export function selectsSame(
  source: Source,
  config: Record<string, unknown>,
  stored: Record<string, unknown>,
): boolean {
  const ignored = Object.fromEntries(
    markedFields(source.config, 'saysWhen').map((name) => [name, null]),
  );
  return isSameConfig({ ...config, ...ignored }, { ...stored, ...ignored });
}

interface StoredSettings {
  readonly auth_method: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly credentials: Sealed | null;
}

/**
 * Throws a 422 when stored credentials would be sent to another server than the one for which they were given: whoever
 * changes the server must know them.
 */
export function requireSameServer(
  source: Source,
  stored: StoredSettings,
  config: Readonly<Record<string, unknown>>,
): void {
  const method = stored.auth_method as AuthMethod;
  if (method === 'direct' && stored.credentials === null) return;
  const field = movedField(source, method, [stored.config, config]);
  if (field === undefined) return;
  const way = isOAuth(method) ? 'make another connection' : 'give credentials with it';
  throw invalid(`the credentials of this connection are not sent to another server: ${way}`, {
    loc: ['body', 'config', field],
    code: 'credentials_needed',
  });
}

/**
 * Returns the validated credentials, or null when the source takes no credentials. Throws a 422 with a fault for each
 * wrong credential, and a 422 when the caller gives credentials to a source that takes none.
 */
export function parseCredentials(
  source: Source,
  credentials: Readonly<Record<string, unknown>> | null,
  loc: readonly string[],
): Record<string, unknown> | null {
  if (!source.auth.direct) {
    if (credentials && Object.keys(credentials).length > 0)
      throw invalid(`${source.shortName} takes no credentials`, { loc });
    return null;
  }
  if (source.auth.direct.isOptional && credentials === null) return null;
  return parsePart(source.auth.direct.fields.strict(), credentials ?? {}, loc) as Record<
    string,
    unknown
  >;
}

/**
 * Asks the source whether it accepts the settings and credentials. Returns the account that they belong to, or null when
 * the source cannot tell. Throws what `askSource` throws.
 */
export async function checkSource(ctx: Ctx, asked: SourceToAsk): Promise<string | null> {
  const { source } = asked;
  if (!source.account && !source.check) return null;
  return askSource(ctx, asked, (context) => checkSettings(source, context));
}

/**
 * Throws a 422 when a federated source gets transformers, because transformers change only records that are stored, and
 * records of such a source never are.
 */
export function checkTransformable(source: Source, transformers: readonly unknown[]): void {
  if (transformers.length > 0 && syncMode(source) === 'federated')
    throw invalid(
      `a ${source.shortName} connection takes no transformers: each search asks the source itself`,
      { loc: ['body', 'transformers'], code: 'not_stored' },
    );
}

/** Returns the new sign-in of a PATCH, by the same method as before, or undefined when the PATCH has none. */
export function newSignIn(
  source: Source,
  authMethod: string,
  patch: SourceConnectionPatch,
): SignIn | undefined {
  if (!patch.authentication && !patch.auth) return undefined;
  if (isOAuth(authMethod))
    throw invalid(
      `the credentials of an ${authMethod} connection cannot be replaced: delete it and create it again`,
      { loc: ['body', 'authentication'] },
    );
  const signIn = signInOf(source, patch);
  if (signIn.method === authMethod) return signIn;
  const wanted =
    authMethod === 'direct'
      ? 'this connection signs in with credentials: give new ones'
      : 'an auth provider keeps the credentials of this connection: name one';
  throw invalid(wanted, { loc: signIn.loc });
}
