/**
 * Signs in to Microsoft Graph: a person in the browser, or an organization by an app of its own (client credentials;
 * https://learn.microsoft.com/graph/auth/auth-concepts).
 */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { CloudApi } from '../api.ts';
import type { OAuthFlow } from '../auth.ts';
import { secret } from '../define.ts';
import type { Http } from '../kit/http.ts';
import { microsoftApp } from '../kit/sign.ts';
import { at, optional, text } from './collection.ts';
import { BadRequest, refusal } from './refusal.ts';

const GRAPH = 'https://graph.microsoft.com';
const LOGIN = 'https://login.microsoftonline.com/common/oauth2/v2.0';

const AppCredentials = z.object({
  tenant: z
    .string()
    .regex(/^[\w.-]+$/, 'is neither a tenant ID nor a domain')
    .meta({
      title: 'Tenant',
      description: 'Directory (tenant) ID of the organization, or one of its domains.',
    }),
  client_id: z
    .string()
    .min(1)
    .meta({ title: 'Client ID', description: 'Application (client) ID of the app.' }),
  client_secret: secret('Client secret', 'Value of a client secret of the app, not its ID.'),
});

/** `scopes` are those of a person. An app has the application permissions that an administrator has granted to it. */
export function microsoftAuth(scopes: readonly string[]) {
  const oauth: OAuthFlow<unknown> = {
    authorizeUrl: `${LOGIN}/authorize`,
    tokenUrl: `${LOGIN}/token`,
    // Microsoft gives a refresh token only with this first scope.
    scopes: ['offline_access', ...scopes.map((scope) => `${GRAPH}/${scope}`)],
    // Microsoft: "Refresh tokens aren't revoked when used to acquire new access tokens"
    // (learn.microsoft.com/entra/identity-platform/refresh-tokens).
    refresh: 'reusable',
  };
  return {
    direct: { fields: AppCredentials, sign: microsoftApp<z.infer<typeof AppCredentials>>() },
    oauth,
  };
}

/** Links of Graph have its own address, also where the operator sends the requests through a proxy. */
export const microsoftApi: CloudApi<unknown> = { baseUrl: GRAPH, alsoAt: [GRAPH], refusal };

export const GraphPerson = z.object({
  id: optional(z.string()),
  mail: text,
  userPrincipalName: text,
});
export type GraphPerson = z.infer<typeof GraphPerson>;

/** The sign-in name has the form of an e-mail address, and belongs to this person in the whole organization. */
export const emailOf = ({ mail, userPrincipalName }: GraphPerson): string | undefined =>
  (mail || userPrincipalName || undefined)?.toLowerCase();

/** Returns null when an app has signed in, which is nobody: Graph then refuses the request with 400. */
export async function personOf(http: Http): Promise<GraphPerson | null> {
  try {
    const query = { $select: 'id,mail,userPrincipalName' };
    return (await http.json({ path: at`me`, query }, GraphPerson)).value;
  } catch (error) {
    if (error instanceof BadRequest) return null;
    throw error;
  }
}

/** Throws a SourceError 'config' that names the missing permission when the request is refused. */
export async function needs<T>(permission: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'skip') throw error;
    throw new SourceError('config', `the permission ${permission} is missing: ${error.message}`, {
      hint: `Grant ${permission} to the app at Microsoft Entra, with the consent of an administrator, and sign in again.`,
      cause: error,
    });
  }
}
