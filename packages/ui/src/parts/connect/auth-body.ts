import type { Schemas } from '../../api/client.ts';
import type { SignInValues } from './sign-in-method.tsx';

/** Returns the sign-in for the API. `back` is the page that opens after a sign-in in the browser. */
export function authBody(
  signIn: SignInValues,
  credentials: () => Record<string, unknown>,
  back: string,
): Schemas['Auth'] {
  switch (signIn.method) {
    case 'direct':
      return { direct: { credentials: credentials() } };
    case 'oauth_browser':
      return {
        oauth_browser: {
          redirect_uri: new URL(back, window.location.origin).href,
          ...(signIn.clientId && { client_id: signIn.clientId }),
          ...(signIn.clientSecret && { client_secret: signIn.clientSecret }),
        },
      };
    case 'oauth_token':
      return {
        oauth_token: {
          access_token: signIn.accessToken,
          ...(signIn.refreshToken && { refresh_token: signIn.refreshToken }),
        },
      };
    case 'auth_provider':
      return { auth_provider: { provider_readable_id: signIn.provider } };
  }
}
