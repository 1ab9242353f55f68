/** This is the environment of sources in tests, in which a source may reach everything. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { type AuthProviders, createAuthProviders } from '../auth-providers/service.ts';
import type { Schema } from '../db/schema.ts';
import { createSend } from '../net/guarded-send.ts';
import type { RateLimiter } from '../rate-limits/limiter.ts';
import type { Vault } from '../secrets.ts';
import { forgetProviderCredentials } from '../sign-in/token-store.ts';
import type { SourceEnvironment } from '../sources/define.ts';
import type { TransformerRuntime } from '../transformers/open.ts';

/** Tests without a data directory use this path. */
export const NO_DATA_DIR = '/nonexistent/data';

export const anywhere: SourceEnvironment = {
  allowPath: async (path) => path,
  ownFiles: async () => () => false,
  allowHost: async (host) => host,
  send: createSend(async (host) => host),
  allowService: async (host) => host,
  sendToProvider: createSend(async (host) => host),
  downloadsFolder: join(tmpdir(), 'quarry-test-downloads'),
};

/** Makes the service of auth providers, whose providers may have any address. */
export const authProvidersOf = (deps: { db: Kysely<Schema>; vault: Vault }): AuthProviders =>
  createAuthProviders({ ...deps, send: anywhere.sendToProvider, forgetProviderCredentials });

/** Tests without modules of transformers use this value. */
export const noModules: TransformerRuntime = { folder: undefined, timeoutMs: 1000, memoryMb: 256 };

/** Tests without a database use this value. */
export const unlimited: RateLimiter = { limit: (send) => send };
