/** These are ways to sign in that several services share. */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { HeaderFields, Outgoing, Sign, TokenRequest } from '../auth.ts';

/** Returns the header of RFC 6750, section 2.1. */
export const bearer = (token: string): HeaderFields => ({ authorization: `Bearer ${token}` });

/** Returns the header of RFC 7617. */
export const basic = (user: string, password: string): HeaderFields => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Makes the request of RFC 6749, 4.4. */
export const clientCredentials = (
  url: string,
  client: { readonly id: string; readonly secret: string; readonly scope: string },
): TokenRequest => ({
  url,
  form: {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
    scope: client.scope,
  },
});

/** Signs in an app of Microsoft Entra ID to Microsoft Graph (https://learn.microsoft.com/graph/auth-v2-service). */
export const microsoftApp = <
  Credentials extends { tenant: string; client_id: string; client_secret: string },
>(): Sign<Credentials, unknown> => ({
  token: ({ tenant, client_id, client_secret }) =>
    clientCredentials(
      `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      { id: client_id, secret: client_secret, scope: 'https://graph.microsoft.com/.default' },
    ),
});

/** The import is late because a start would spend 20 ms on what only a service account needs. */
const jose = () => import('jose');

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** These parts of the JSON key of a service account are needed. */
const ServiceAccount = z.object({
  client_email: z.email(),
  private_key: z.string().min(1),
  token_uri: z.url({ protocol: /^https?$/ }).optional(),
});

/** Returns true when a text is the JSON key of a service account. */
export const isServiceAccount = (json: string): boolean =>
  ServiceAccount.safeParse(parsed(json)).success;

/** A service account may act for several people. Each of them has a token of its own, with these scopes. */
interface PeopleOfAccount {
  /** Returns the e-mail address of the person whom a request concerns, or undefined for the subject. */
  readonly personOf: (request: Outgoing) => string | undefined;
  readonly scopes: readonly string[];
}

/**
 * Signs in a service account of Google by a JWT (RFC 7523;
 * https://developers.google.com/identity/protocols/oauth2/service-account). With `subject` the account acts for this
 * person, which an administrator has to allow (domain-wide delegation), scope by scope. Google refuses the token if one
 * of the scopes is not allowed, so only scopes that the configuration needs are requested.
 */
export const googleKey = <
  Credentials extends { service_account: string; subject?: string | undefined },
  Config = unknown,
>(
  scopes: (config: Config) => readonly string[],
  people?: PeopleOfAccount,
): Sign<Credentials, Config> => ({
  ...(people && {
    personOf(request, { subject }) {
      const person = people.personOf(request);
      return person === subject ? undefined : person;
    },
  }),
  async token({ service_account, subject }, config, person) {
    const { client_email, private_key, token_uri } = ServiceAccount.parse(parsed(service_account));
    const url = token_uri ?? GOOGLE_TOKEN_URL;
    const { importPKCS8, SignJWT } = await jose();
    const key = await importPKCS8(private_key, 'RS256').catch((cause: unknown) => {
      throw new SourceError('auth', 'the private key of the service account cannot be read', {
        hint: 'Download a new JSON key, and give the whole file.',
        cause,
      });
    });
    const asked = person === undefined || !people ? scopes(config) : people.scopes;
    const actsFor = person ?? subject;
    const jwt = new SignJWT({ scope: asked.join(' ') })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(client_email)
      .setAudience(url)
      .setIssuedAt()
      .setExpirationTime('1h');
    if (actsFor !== undefined) jwt.setSubject(actsFor);
    return { url, form: { grant_type: JWT_BEARER, assertion: await jwt.sign(key) } };
  },
});

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The schema then says that this is not a key.
    return null;
  }
}
