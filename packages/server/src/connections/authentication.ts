/**
 * This file reads from a request how a connection signs in to its source. A request may name the method in one of
 * two forms, `authentication` or `auth`.
 */
import { invalid } from '../errors.ts';
import type { AuthMethod } from '../sources/auth.ts';
import { methodsOf, type Source } from '../sources/define.ts';
import type { Auth, Authentication } from './schema.ts';

export interface SignIn {
  readonly method: AuthMethod;
  /**
   * Only the direct method has credentials. They are null for the other methods and for sources without credentials.
   */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  /** This is the path of the credentials in the body; an error names it. */
  readonly loc: readonly string[];
}

interface Input {
  readonly authentication?: Authentication | undefined;
  readonly auth?: Auth | undefined;
}

/** Throws a 422 when the request uses both forms, or when the source does not support the method. */
export function signInOf(source: Source, input: Input): SignIn {
  if (input.authentication && input.auth)
    throw invalid('give authentication or auth, not both', { loc: ['body', 'auth'] });
  const requested = requestedSignIn(input);
  const methods = methodsOf(source);
  const { direct, oauth } = source.auth;
  const method = requested?.method ?? (direct || oauth ? 'oauth_browser' : 'direct');
  if (!methods.includes(method))
    throw invalid(
      `${source.shortName} does not sign in by ${method}; it takes ${methods.join(', ')}`,
      { loc: requested?.loc ?? ['body', 'authentication'] },
    );
  return { method, credentials: requested?.credentials ?? null, loc: requested?.loc ?? ['body'] };
}

function requestedSignIn({ authentication, auth }: Input): SignIn | null {
  if (auth) {
    const [method = 'oauth_browser'] = Object.keys(auth) as (keyof Auth)[];
    const credentials = auth.direct?.credentials ?? null;
    const loc = ['body', 'auth', method];
    return { method, credentials, loc: credentials ? [...loc, 'credentials'] : loc };
  }
  if (!authentication || Object.keys(authentication).length === 0) return null;
  const by = (method: AuthMethod, ...field: string[]): SignIn => ({
    method,
    credentials: authentication.credentials ?? null,
    loc: ['body', 'authentication', ...field],
  });
  if (authentication.credentials) return by('direct', 'credentials');
  if (authentication.access_token) return by('oauth_token', 'access_token');
  if (authentication.provider_readable_id) return by('auth_provider', 'provider_readable_id');
  return by('oauth_browser');
}
