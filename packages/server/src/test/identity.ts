/** Returns the identity of a caller, for tests without keys. */
import pino from 'pino';
import { type Ctx, NO_RIGHTS } from '../context.ts';
import type { Identity } from '../http/auth.ts';
import { NO_SPAN } from '../telemetry/trace.ts';

export const identityOf = (organizationId: string, over: Partial<Ctx> = {}): Identity => ({
  organization: { id: organizationId, features: new Set(), quotas: {} },
  account: { id: 'someone', email: 'someone@example.org' },
  ...NO_RIGHTS,
  role: 'admin',
  ...over,
});

export const contextOf = (organizationId: string, over: Partial<Ctx> = {}): Ctx => ({
  ...identityOf(organizationId),
  address: '127.0.0.1',
  action: null,
  log: pino({ level: 'silent' }),
  signal: new AbortController().signal,
  requestId: 'a-request',
  span: NO_SPAN,
  ...over,
});
