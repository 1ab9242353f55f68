/** Describes how one signs in to the products of Atlassian's cloud. */
import { z } from 'zod';
import type { CloudApi } from '../api.ts';
import type { SourceAuth } from '../auth.ts';
import { secret } from '../define.ts';
import { basic } from '../kit/sign.ts';
import { type AtlassianRefusals, atlassianRefusal } from './refusal.ts';
import { type AtlassianConfig, GATEWAY, siteAddress } from './site.ts';

export const ATLASSIAN_LIMITS =
  'a number of points an hour for apps with OAuth, and none for API tokens but against bursts';

const AtlassianCredentials = z.strictObject({
  email: z.string().min(3).max(320).meta({
    title: 'E-mail address',
    description: 'The address of the Atlassian account to which the token belongs.',
  }),
  api_token: secret('API token', 'A token of id.atlassian.com, Security, API tokens.'),
});

/**
 * A refresh token works once. Atlassian accepts it for ten minutes more, from a client that has lost the answer
 * (https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/).
 */
export const atlassianAuth = (
  scopes: readonly string[],
): SourceAuth<z.infer<typeof AtlassianCredentials>, AtlassianConfig> => ({
  direct: {
    fields: AtlassianCredentials,
    sign: { headers: ({ email, api_token }) => basic(email, api_token) },
  },
  oauth: {
    authorizeUrl: 'https://auth.atlassian.com/authorize',
    tokenUrl: 'https://auth.atlassian.com/oauth/token',
    scopes: [...scopes, 'offline_access'],
    params: { audience: 'api.atlassian.com', prompt: 'consent' },
    refresh: 'rotating',
    refreshGraceSeconds: 600,
  },
});

export const atlassianApi = (about: AtlassianRefusals): CloudApi<AtlassianConfig> => ({
  baseUrl: siteAddress,
  oauthBaseUrl: GATEWAY,
  refusal: atlassianRefusal(about),
});
