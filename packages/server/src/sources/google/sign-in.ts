/** People and service accounts sign in to all services of Google in the same way. */
import { z } from 'zod';
import type { OAuthFlow } from '../auth.ts';
import { secretFile } from '../define.ts';
import { isServiceAccount } from '../kit/sign.ts';

export const googleOAuth = (scopes: readonly string[]): OAuthFlow<unknown> => ({
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  scopes,
  // Google gives a refresh token only with access_type. With prompt, it also gives one to a person who has signed
  // in before.
  params: { access_type: 'offline', prompt: 'consent' },
  refresh: 'reusable',
});

/** `actsFor` describes the person on whose behalf the account acts. */
export const serviceAccountFields = (actsFor: string) =>
  z.object({
    service_account: secretFile(
      'Service account',
      'JSON key of a service account, the whole file.',
    ).refine(isServiceAccount, 'is not the JSON key of a service account'),
    subject: z.email().optional().meta({ title: 'Acts for', description: actsFor }),
  });
