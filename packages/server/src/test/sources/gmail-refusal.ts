/** Refusals of Gmail, as Google writes them. */
import { json, type PeerAnswer } from './cloud-peer.ts';

interface GmailReason {
  readonly reason: string;
  /** The name of the error among Google's canonical ones. */
  readonly status: string;
  readonly domain?: string;
  readonly location?: string;
  readonly details?: readonly object[];
  /** The message of the inner error may be another one. */
  readonly inner?: string;
}

function gmailError(
  code: number,
  message: string,
  given: GmailReason,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer {
  const { reason, status, domain = 'global', location, details, inner = message } = given;
  const where = location && {
    location,
    locationType: location === 'Authorization' ? 'header' : 'parameter',
  };
  const errors = [{ message: inner, domain, reason, ...where }];
  return json(
    code,
    { error: { code, message, errors, status, ...(details && { details }) } },
    headers,
  );
}

export class GmailRefusal extends Error {
  readonly answer: PeerAnswer;
  constructor(code: number, message: string, given: GmailReason) {
    super(message);
    this.answer = gmailError(code, message, given);
  }
}

export const refuse = (code: number, message: string, given: GmailReason): never => {
  throw new GmailRefusal(code, message, given);
};
export const notFound = (): never =>
  refuse(404, 'Requested entity was not found.', { reason: 'notFound', status: 'NOT_FOUND' });
export const invalid = (message: string): never =>
  refuse(400, message, { reason: 'invalidArgument', status: 'INVALID_ARGUMENT' });

/** Gmail refuses what the account may not do. */
export const forbid = (message: string): never =>
  refuse(403, message, { reason: 'forbidden', status: 'PERMISSION_DENIED' });
/** The token lacks the scope that the operation needs. */
export const insufficient = (): never =>
  refuse(403, 'Request had insufficient authentication scopes.', {
    reason: 'insufficientPermissions',
    status: 'PERMISSION_DENIED',
    inner: 'Insufficient Permission',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
        metadata: { service: 'gmail.googleapis.com' },
      },
    ],
  });

/** These are the refusals that the tests put into the place of answers. Those that ask to wait ask for an hour. */
export const GMAIL_REFUSALS = {
  unauthorized: gmailError(
    401,
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    {
      reason: 'authError',
      status: 'UNAUTHENTICATED',
      location: 'Authorization',
      inner: 'Invalid Credentials',
    },
  ),
  rateLimited: [
    ...([
      [429, 'Too many concurrent requests for user.', 'rateLimitExceeded'],
      [429, 'User-rate limit exceeded.', 'userRateLimitExceeded'],
      [403, 'Rate Limit Exceeded', 'rateLimitExceeded'],
      [403, 'User Rate Limit Exceeded', 'userRateLimitExceeded'],
    ] as const),
  ].map(([code, message, reason]) =>
    gmailError(
      code,
      message,
      {
        reason,
        status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'PERMISSION_DENIED',
        domain: 'usageLimits',
      },
      { 'retry-after': '3600' },
    ),
  ),
  serverError: gmailError(503, 'The service is currently unavailable.', {
    reason: 'backendError',
    status: 'UNAVAILABLE',
  }),
  /** Gmail often says only in words until when one has to wait. */
  waitUntil: (at: Date): PeerAnswer =>
    gmailError(429, `User-rate limit exceeded.  Retry after ${at.toISOString()}`, {
      reason: 'rateLimitExceeded',
      status: 'RESOURCE_EXHAUSTED',
    }),
  /** The quota of a day is used up. */
  dailyLimit: gmailError(403, 'Daily Limit Exceeded', {
    reason: 'dailyLimitExceeded',
    status: 'PERMISSION_DENIED',
    domain: 'usageLimits',
  }),
  /** An administrator of the company does not allow the app. */
  domainPolicy: gmailError(403, 'The domain administrators have disabled Gmail apps.', {
    reason: 'domainPolicy',
    status: 'PERMISSION_DENIED',
  }),
};
