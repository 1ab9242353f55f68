/** Signs the requests of one connection, in the way in which its source and its user signed in. */
import { LRUCache } from 'lru-cache';
import type { Authorizer } from '../sources/auth.ts';
import type { Source, SourceContext } from '../sources/define.ts';
import { secretFields } from '../sources/describe.ts';
import { bearer } from '../sources/kit/sign.ts';
import { holdUnsaved } from './hold-unsaved.ts';
import type { TokenHolder } from './keeper.ts';
import type { PeopleRenewals } from './renewal.ts';

/**
 * Signs with direct credentials that need not be exchanged for a token: by fixed headers, or by headers that are made
 * for each request.
 */
export function directAuthorizer(
  source: Source,
  { config, credentials }: Pick<SourceContext<unknown, unknown>, 'config' | 'credentials'>,
): Authorizer {
  const sign = source.auth.direct?.sign;
  // A header may hold them in another form, such as that of HTTP Basic.
  const secrets = sign ? secretsIn(source, credentials) : [];
  return {
    async sign(request) {
      const { url } = request;
      if (sign && 'headers' in sign)
        return { url, headers: sign.headers(credentials), stamp: null, secrets };
      if (sign && 'each' in sign)
        return { url, headers: sign.each(credentials, request, config), stamp: null, secrets };
      return { url, headers: {}, stamp: null };
    },
  };
}

function secretsIn(source: Source, credentials: unknown): string[] {
  // A source may also work without credentials.
  const given = (credentials ?? {}) as Readonly<Record<string, unknown>>;
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

/** Tokens of this many people are kept. */
const PEOPLE = 1000;

/** Signs with the token of the holder, or with a token of the person on whose behalf the request is sent. */
export function exchangeAuthorizer(holder: TokenHolder, people: PeopleRenewals | null): Authorizer {
  const usual = tokenAuthorizer(holder);
  if (!people) return usual;
  const others = new LRUCache<string, Authorizer>({ max: PEOPLE });
  return {
    sign(request, refused, signal) {
      const person = people.personOf(request);
      if (person === undefined) return usual.sign(request, refused, signal);
      const other = others.get(person) ?? tokenAuthorizer(holdUnsaved(people.renewalOf(person)));
      others.set(person, other);
      return other.sign(request, refused, signal);
    },
  };
}
