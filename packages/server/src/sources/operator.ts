/** Applies what the operator has set for sources in QUARRY_SOURCES_FILE. */
import type { SourceSettings, SourcesFile } from '../sources-file.ts';
import type { Source } from './define.ts';

/** The operator of the service has set these for a source. */
export interface SourceOperator {
  /** Users sign in with this OAuth client, unless they bring their own. A public client has no secret. */
  readonly client?: { readonly id: string; readonly secret: string | null } | undefined;
  /** These addresses replace the usual ones of the provider. */
  readonly authorizeUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/**
 * Returns the sources that the operator has not switched off, with the operator's settings. Throws an Error with a
 * message for the operator when no source, or not this source, can have a setting.
 */
export function applySourcesFile(
  sources: ReadonlyMap<string, Source>,
  file: SourcesFile,
): ReadonlyMap<string, Source> {
  if (Object.keys(file).length === 0) return sources;
  const unknown = Object.keys(file).find((name) => !sources.has(name));
  if (unknown !== undefined)
    throw new Error(
      `QUARRY_SOURCES_FILE names '${unknown}', which is not a source: the sources are ${[...sources.keys()].join(', ')}`,
    );
  return new Map(
    [...sources]
      .filter(([name]) => file[name]?.enabled !== false)
      .map(([name, source]) => [name, withSettings(source, file[name])]),
  );
}

function withSettings(source: Source, settings: SourceSettings | undefined): Source {
  if (!settings) return source;
  const { client_id, client_secret, authorize_url, token_url, base_url } = settings;
  const refuse = (name: string, why: string) => {
    throw new Error(
      `QUARRY_SOURCES_FILE: ${source.shortName}.${name} has no effect, because ${why}: leave it out`,
    );
  };
  const ofOAuth = { client_id, authorize_url, token_url };
  const [given] = Object.entries(ofOAuth).flatMap(([name, value]) => (value ? [name] : []));
  if (given !== undefined && !source.auth.oauth)
    refuse(given, 'the source has no sign-in by OAuth');
  const { baseUrl, oauthBaseUrl } = source.api ?? {};
  if (base_url !== undefined && typeof (oauthBaseUrl ?? baseUrl) !== 'string')
    refuse('base_url', 'each connection sets the address of its service');
  const operator: SourceOperator = {
    client: client_id === undefined ? undefined : { id: client_id, secret: client_secret ?? null },
    authorizeUrl: authorize_url,
    tokenUrl: token_url,
    baseUrl: base_url,
  };
  return { ...source, operator };
}
