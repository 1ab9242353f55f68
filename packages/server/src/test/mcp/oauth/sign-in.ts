/** Stores what a client of the protocol must store while one person signs in. */
import { browse } from './browser.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';

/** Serves the v1 and the v2 client, which both use it for a whole authorization-code flow with PKCE. */
export function signInAs(sub: string) {
  const kept: Record<string, any> = {};
  let code: Promise<URLSearchParams> | undefined;
  return {
    provider: {
      redirectUrl: CALLBACK,
      clientMetadata: {
        client_name: 'a client',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      clientInformation: () => kept.client,
      saveClientInformation(client: unknown) {
        kept.client = client;
      },
      tokens: () => kept.tokens,
      saveTokens(tokens: unknown) {
        kept.tokens = tokens;
      },
      codeVerifier: () => kept.verifier,
      saveCodeVerifier(verifier: string) {
        kept.verifier = verifier;
      },
      redirectToAuthorization(url: URL) {
        kept.asked = url;
        const hinted = new URL(url);
        hinted.searchParams.set('login_hint', sub);
        code = browse(hinted, CALLBACK).then(({ searchParams }) => searchParams);
      },
    },
    kept,
    /** Returns the parameters of the callback address. */
    returned: async (): Promise<URLSearchParams> => {
      if (!code) throw new Error('nobody was asked to sign in');
      return code;
    },
  };
}
