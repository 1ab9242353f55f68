/**
 * Every setting, read once. This is the only file that touches `process.env`.
 *
 * The schema is also the manual: `quarry config` prints each name, default and description. A misspelt
 * QUARRY_* name stops the start, because a setting nobody reads is worse than an error.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

const PROCESS_ROLES = ['api', 'worker'] as const;

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((text) => text === 'true');

export const Settings = z.strictObject({
  QUARRY_PORT: z
    .string()
    .regex(/^\d+$/, 'a port is a number')
    .default('8099')
    .transform(Number)
    .pipe(z.number().max(65535, 'a port is at most 65535'))
    .describe('Port of the API; 0 takes a free one.'),
  QUARRY_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address the API binds to. Only a loopback address keeps other machines out.'),
  QUARRY_DATA_DIR: z
    .string()
    .min(1)
    .default('.quarry')
    .transform((path) => resolve(path))
    .describe('Where the embedded database, the key file and stored files are.'),
  QUARRY_SAMPLE: flag('true').describe(
    'Make a sample collection at the first start of a single-user install (bound to loopback, embedded database).',
  ),
  QUARRY_API_KEY: z
    .string()
    .regex(
      /^quarry_[A-Za-z0-9_-]{43}$/,
      'a key has the form quarry_ and 43 characters of A-Z a-z 0-9 - _',
    )
    .optional()
    .describe('Key of the first organization. Without it one is made and printed once.'),
  QUARRY_ENCRYPTION_KEY: z
    .string()
    .min(32, 'use at least 32 characters')
    .optional()
    .describe(
      'Key that encrypts credentials. Without it a key file is made in the data directory.',
    ),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'use the form postgres://user:password@host/database',
    })
    .optional()
    .describe('PostgreSQL 15 or newer. Without it SQLite in the data directory.'),
  QUARRY_ROLES: z
    .string()
    .default(PROCESS_ROLES.join(','))
    .transform(list)
    .pipe(z.array(z.enum(PROCESS_ROLES)).min(1))
    .describe('Which parts this process runs: api, worker or both.'),
  QUARRY_ALLOW_LOOPBACK: flag('false').describe(
    'Development only: cloud sources and webhooks may be on this machine.',
  ),
  QUARRY_SOURCE_NETWORKS: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(z.string().refine(isCidr, 'is no CIDR, such as 10.0.0.0/8')))
    .describe('CIDRs of private networks that sources may connect to.'),
  QUARRY_FILES_ROOTS: z
    .string()
    .default('')
    .transform((text) => list(text).map((path) => resolve(path)))
    .describe('Folders below which the files source may read.'),
  QUARRY_INDEX_MEMORY_MB: z
    .string()
    .regex(/^\d{1,7}$/, 'give a number of megabytes')
    .default('512')
    .transform(Number)
    .pipe(z.number().min(16, 'give at least 16 megabytes'))
    .describe(
      'Memory that the vectors of collections may take together; those searched last stay in it. 100,000 chunks take about 35 MB.',
    ),
  QUARRY_HISTORY_DAYS: z
    .string()
    .regex(/^\d{1,5}$/, 'give a number of days')
    .default('90')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 day'))
    .describe(
      'How long ended sync jobs are kept, at most 1,000 of a connection. What a connection needs of them stays.',
    ),
  QUARRY_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe level written to standard error.'),
});

type Values = z.infer<typeof Settings>;

export interface Config extends Readonly<Values> {
  /** One user on one machine: bound to loopback, embedded engines. */
  readonly singleUser: boolean;
}

/** Names whose values are never printed. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set([
  'QUARRY_API_KEY',
  'QUARRY_ENCRYPTION_KEY',
  'DATABASE_URL',
]);

/** Throws an Error whose message is one sentence a setting: what is wrong, and what it may be. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const mine = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        value !== undefined && (name.startsWith('QUARRY_') || name === 'DATABASE_URL'),
    ),
  );
  const parsed = Settings.safeParse(mine);
  if (!parsed.success) throw new Error(parsed.error.issues.map(sentence).join('\n'));
  const values = parsed.data;
  if (values.QUARRY_ROLES.length < PROCESS_ROLES.length && !values.DATABASE_URL) {
    throw new Error(
      'QUARRY_ROLES splits the service over processes, which needs DATABASE_URL: the embedded database serves one process',
    );
  }
  if (values.QUARRY_ROLES.length < PROCESS_ROLES.length && !values.QUARRY_ENCRYPTION_KEY) {
    throw new Error(
      'QUARRY_ROLES splits the service over processes, which must share QUARRY_ENCRYPTION_KEY: set it',
    );
  }
  const singleUser = isLoopback(values.QUARRY_HOST) && !values.DATABASE_URL;
  return Object.freeze({ ...values, singleUser });
}

export const processEnvironment = (): NodeJS.ProcessEnv => process.env;

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.join(', ')}: there is no such setting; 'quarry config' lists all`;
  return `${issue.path.slice(0, 1).join('')}: ${issue.message}`;
}

function isCidr(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  const version = isIP(address);
  return version > 0 && /^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
