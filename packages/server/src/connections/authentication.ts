/** Which method a connection signs in with, out of the two forms in which a caller may say so. */
import { invalid } from '../errors.ts';
import type { AuthMethod, Source } from '../sources/define.ts';
import type { Auth, Authentication } from './schema.ts';

export interface SignIn {
  readonly method: AuthMethod;
  /** Of the direct method; null otherwise and for sources without credentials. */
  readonly credentials: Readonly<Record<string, unknown>> | null;
  /** Where in the body they stood. */
  readonly loc: readonly string[];
}

interface Input {
  readonly authentication?: Authentication | undefined;
  readonly auth?: Auth | undefined;
}

/** Throws a 422 when both forms are used, or the source does not take the method. */
export function signIn(source: Source, input: Input): SignIn {
  if (input.authentication && input.auth)
    throw invalid('give authentication or auth, not both', { loc: ['body', 'auth'] });
  const wish = wished(input);
  const method = wish?.method ?? (source.auth.fields ? 'oauth_browser' : 'direct');
  if (!source.auth.methods.includes(method))
    throw invalid(
      `${source.shortName} does not sign in by ${method}; it takes ${source.auth.methods.join(', ')}`,
      { loc: wish?.loc ?? ['body', 'authentication'] },
    );
  return { method, credentials: wish?.credentials ?? null, loc: wish?.loc ?? ['body'] };
}

function wished({ authentication, auth }: Input): SignIn | null {
  if (auth) {
    const [method] = Object.keys(auth) as (keyof Auth)[];
    return {
      method: method ?? 'oauth_browser',
      credentials: auth.direct?.credentials ?? null,
      loc: ['body', 'auth', 'direct', 'credentials'],
    };
  }
  if (!authentication || Object.keys(authentication).length === 0) return null;
  const loc = ['body', 'authentication', 'credentials'];
  if (authentication.credentials)
    return { method: 'direct', credentials: authentication.credentials, loc };
  if (authentication.access_token) return { method: 'oauth_token', credentials: null, loc };
  if (authentication.provider_readable_id)
    return { method: 'auth_provider', credentials: null, loc };
  return { method: 'oauth_browser', credentials: null, loc };
}
