/** Signs the requests of one connection, in the way in which its source and its user signed in. */
import type { Authorizer } from '../sources/auth.ts';
import type { Source, SourceContext } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { bearer } from '../sources/kit/sign.ts';
import type { TokenHolder } from './keeper.ts';

/**
 * Signs with direct credentials that need not be exchanged for a token: by fixed headers, or by headers that are made
 * for each request.
 */
export function directAuthorizer(
  source: Source,
  { config, credentials }: Pick<SourceContext<unknown, unknown>, 'config' | 'credentials'>,
): Authorizer {
  const sign = source.auth.direct?.sign;
  const secrets = sign && 'each' in sign ? secretsIn(source, credentials) : [];
  return {
    async sign(request) {
      const { url } = request;
      if (sign && 'headers' in sign)
        return { url, headers: sign.headers(credentials), stamp: null };
      if (sign && 'each' in sign)
        return { url, headers: sign.each(credentials, request, config), stamp: null, secrets };
      return { url, headers: {}, stamp: null };
    },
  };
}

function secretsIn(source: Source, credentials: unknown): string[] {
  const given = credentials as Readonly<Record<string, unknown>>;
  return secretFields(source)
    .map((name) => given[name])
    .filter((value) => typeof value === 'string');
}

/** Signs with what an auth provider gave: with an access token, or as with direct credentials. */
export const givenAuthorizer = (
  source: Source,
  config: unknown,
  holder: TokenHolder,
): Authorizer => ({
  async sign(request, refused, signal) {
    const { tokens, stamp } = await holder.token(refused, signal);
    if (!tokens.credentials)
      return { url: request.url, headers: bearer(tokens.accessToken), stamp };
    const { credentials } = tokens;
    const signed = await directAuthorizer(source, { config, credentials }).sign(
      request,
      null,
      signal,
    );
    return { ...signed, stamp };
  },
});

export const tokenAuthorizer = (holder: TokenHolder): Authorizer => ({
  async sign({ url }, refused, signal) {
    const { tokens, stamp } = await holder.token(refused, signal);
    return { url, headers: bearer(tokens.accessToken), stamp };
  },
});
