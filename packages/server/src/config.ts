/**
 * Every setting is read once, here. This is the only file that reads `process.env`. A secret may be in a file instead
 * (secret-settings.ts).
 *
 * The schema is also the manual: `quarry config` prints each name, default and description. A misspelt QUARRY_*
 * name stops the start, because a setting that is silently ignored is worse than an error.
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import { ADDRESS_SETTINGS, isReachable } from './address-settings.ts';
import { BACKUP_SETTINGS, type BackupPlan, backupsOf } from './backup-settings.ts';
import { MAIL_SETTINGS, mailOf } from './mail-settings.ts';
import { BUILTIN, list, MODEL_SETTINGS } from './model-settings.ts';
import { isCidr, isLoopback } from './net/addresses.ts';
import type { SmtpServer } from './net/smtp.ts';
import {
  type IssuerSignInSettings,
  issuerSignInOf,
  OAUTH_SETTINGS,
  type OAuthSettings,
  oauthOf,
} from './oauth-settings.ts';
import { OCR_SETTINGS } from './ocr-settings.ts';
import { type ModelRole, parseModel, withKey } from './providers.ts';
import { withSecretFiles } from './secret-settings.ts';
import { readSourcesFile, type SourcesFile } from './sources-file.ts';
import { TELEMETRY_SETTINGS, type TraceSettings, tracesOf } from './telemetry-settings.ts';
import { THREAD_SETTINGS } from './thread-settings.ts';
import { TLS_SETTINGS, type TlsFiles, tlsOf } from './tls-settings.ts';
import { TRANSFORMER_SETTINGS } from './transformer-settings.ts';

const PROCESS_ROLES = ['api', 'worker'] as const;

const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((text) => text === 'true');

export const Settings = z.strictObject({
  ...ADDRESS_SETTINGS,
  QUARRY_DATA_DIR: z
    .string()
    .min(1)
    .default('.quarry')
    .transform((path) => resolve(path))
    .describe('Folder of the embedded database, the key file and stored files.'),
  QUARRY_SAMPLE: flag('true').describe(
    'Make a sample collection at the first start of a single-user install (embedded database, and others cannot reach the service).',
  ),
  QUARRY_API_KEY: z
    .string()
    .regex(
      /^quarry_[A-Za-z0-9_-]{43}$/,
      'a key has the form quarry_ and 43 characters of A-Z a-z 0-9 - _',
    )
    .optional()
    .describe(
      'First API key, which the first start stores; without it one is made and printed once. A later start only checks whether the key is valid.',
    ),
  QUARRY_ENCRYPTION_KEY: z
    .string()
    .min(32, 'use at least 32 characters')
    .optional()
    .describe(
      'Key that encrypts credentials. Without it a key file is made in the data directory.',
    ),
  QUARRY_OTHER_ENCRYPTION_KEY: z
    .string()
    .min(32, 'use at least 32 characters')
    .optional()
    .describe(
      'Second encryption key, for the time of a key rotation. It decrypts the values that it has encrypted, and encrypts no new ones.',
    ),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'use the form postgres://user:password@host/database',
    })
    .optional()
    .describe('URL of a PostgreSQL 15 or newer. Without it SQLite in the data directory is used.'),
  DATABASE_DIRECT_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'use the form postgres://user:password@host/database',
    })
    .optional()
    .describe(
      'URL of the same database without a pooler, where DATABASE_URL leads to one that pools transactions. On it a worker listens for new work, and commands work on the database.',
    ),
  QUARRY_ROLES: z
    .string()
    .default(PROCESS_ROLES.join(','))
    .transform(list)
    .pipe(z.array(z.enum(PROCESS_ROLES)).min(1))
    .describe('Parts that this process runs: api, worker or both.'),
  QUARRY_MIGRATE: flag('true').describe(
    'Bring the database up to date at the start. Without it, a start on a database of another version ends with an error, and quarry migrate brings it up to date.',
  ),
  QUARRY_ALLOW_LOOPBACK: flag('false').describe(
    'Allows cloud sources and webhooks on this machine. For development only.',
  ),
  QUARRY_SOURCE_NETWORKS: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(z.string().refine(isCidr, 'is not a CIDR, such as 10.0.0.0/8')))
    .describe('CIDRs of private networks that sources may connect to.'),
  QUARRY_FILES_ROOTS: z
    .string()
    .default('')
    .transform((text) => list(text).map((path) => resolve(path)))
    .describe(
      'Folders below which the files source may read. A single-user install needs none, because its source may read every folder of its user.',
    ),
  QUARRY_WATCH: flag('true').describe(
    'Watch folders, so that a change is found as it happens. Without it, folders are read by schedule.',
  ),
  QUARRY_SOURCES_FILE: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'JSON file with OAuth clients and addresses of sources, by short name. It may also switch sources off.',
    ),
  ...TRANSFORMER_SETTINGS,
  ...THREAD_SETTINGS,
  QUARRY_HISTORY_DAYS: z
    .string()
    .regex(/^\d{1,5}$/, 'give a number of days')
    .default('90')
    .transform(Number)
    .pipe(z.number().min(1, 'give at least 1 day'))
    .describe(
      'Days for which ended sync jobs are kept, at most 1,000 of a connection. Jobs that a connection still needs stay longer.',
    ),
  ...BACKUP_SETTINGS,
  ...MODEL_SETTINGS,
  ...OCR_SETTINGS,
  ...OAUTH_SETTINGS,
  ...MAIL_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...TLS_SETTINGS,
  QUARRY_RESULT_TOKENS: z
    .string()
    .regex(/^\d{1,6}$/, 'give a number of tokens')
    .default('8000')
    .transform(Number)
    .pipe(z.number().min(2000, 'give at least 2000 tokens'))
    .describe('Maximum length of an answer of the tool server, in tokens, approximately.'),
  QUARRY_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe level written to standard error.'),
});

type SettingValues = z.infer<typeof Settings>;

export interface Config extends Readonly<SettingValues> {
  /** It is true when a setting names the host or the port, so that commands ask the service there. */
  readonly isAddressSet: boolean;
  /** It is true when the address to which the API is bound keeps other machines out. */
  readonly isLoopback: boolean;
  /** It is true when others can reach the API, at its address or through a proxy. */
  readonly isReachable: boolean;
  /** It is true for one user on one machine: others cannot reach the API, and the engines are embedded. */
  readonly singleUser: boolean;
  /** It is null when the tool server takes API keys only. */
  readonly oauth: OAuthSettings | null;
  /** It is null when nobody signs in to accounts through the issuer. */
  readonly issuerSignIn: IssuerSignInSettings | null;
  /** It is null when nothing is mailed. */
  readonly mail: SmtpServer | null;
  /** It is null when the service makes no backups by itself. */
  readonly backups: BackupPlan | null;
  /** It is null when the API speaks plain HTTP. */
  readonly tls: TlsFiles | null;
  /** It is null when nothing is traced. */
  readonly traces: TraceSettings | null;
  /** These are the settings of the file that QUARRY_SOURCES_FILE names. */
  readonly sourcesFile: SourcesFile;
}

/** Throws an Error whose message has one sentence for each wrong setting: what is wrong, and what it may be. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const mine = Object.fromEntries(
    Object.entries(withSecretFiles(env)).filter(
      ([name, value]) =>
        value !== undefined && (name.startsWith('QUARRY_') || name in Settings.shape),
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
  if (values.DATABASE_DIRECT_URL && !values.DATABASE_URL)
    throw new Error(
      'DATABASE_DIRECT_URL is another way to the database that DATABASE_URL names: set DATABASE_URL too',
    );
  if (values.QUARRY_ROLES.length < PROCESS_ROLES.length && !values.QUARRY_ENCRYPTION_KEY) {
    throw new Error(
      'QUARRY_ROLES splits the service over processes, which must share QUARRY_ENCRYPTION_KEY: set it',
    );
  }
  refuseModels(values);
  const isLocal = isLoopback(values.QUARRY_HOST);
  const oauth = oauthOf(values, isLocal);
  const issuerSignIn = issuerSignInOf(values, oauth);
  const mail = mailOf(values);
  const reachable = isReachable(values);
  const singleUser = !reachable && !values.DATABASE_URL;
  const path = values.QUARRY_SOURCES_FILE;
  const sourcesFile = path === undefined ? {} : readSourcesFile(path);
  return Object.freeze({
    ...values,
    isAddressSet: mine.QUARRY_HOST !== undefined || mine.QUARRY_PORT !== undefined,
    isLoopback: isLocal,
    isReachable: reachable,
    singleUser,
    oauth,
    issuerSignIn,
    mail,
    backups: backupsOf(values),
    tls: tlsOf(values),
    traces: tracesOf(values),
    sourcesFile,
  });
}

/** Throws for models that cannot be asked, and for settings that do not concern the chosen embedder. */
function refuseModels(values: SettingValues): void {
  const remote: [setting: string, role: ModelRole, name: string][] = [
    ...values.QUARRY_LLM.map((name): [string, ModelRole, string] => ['QUARRY_LLM', 'llm', name]),
    ['QUARRY_EMBEDDER', 'embedder', values.QUARRY_EMBEDDER],
    ['QUARRY_RERANKER', 'reranker', values.QUARRY_RERANKER],
    ['QUARRY_TRANSCRIBER', 'transcriber', values.QUARRY_TRANSCRIBER ?? BUILTIN],
  ];
  for (const [setting, role, name] of remote) {
    if (name === BUILTIN) continue;
    try {
      withKey(parseModel(name, role), values);
    } catch (error) {
      throw new Error(`${setting}: ${(error as Error).message}`);
    }
  }
  const about = EMBEDDER_SETTINGS.find((setting) => values[setting]);
  if (values.QUARRY_EMBEDDER === BUILTIN && about)
    throw new Error(`${about} has no effect on the builtin embedder: leave it out`);
}

/** These settings are about the chosen embedder, beside the key of its provider. */
export const EMBEDDER_SETTINGS = [
  'QUARRY_EMBEDDER_DIMENSIONS',
  'QUARRY_EMBEDDER_TOKENS',
  'QUARRY_EMBEDDER_QUERY_PREFIX',
  'QUARRY_EMBEDDER_DOCUMENT_PREFIX',
] as const;

/** These settings say how the functions of transformers run. */
export const transformerRuntimeOf = (config: SettingValues) => ({
  folder: config.QUARRY_TRANSFORMERS_DIR,
  timeoutMs: config.QUARRY_TRANSFORMERS_SECONDS * 1000,
  memoryMb: config.QUARRY_TRANSFORMERS_MEMORY_MB,
});

/** Browsers reach the service at the public address of the operator, or else on this machine at the port. */
export const publicOriginOf = (config: SettingValues, port = config.QUARRY_PORT): string =>
  config.QUARRY_PUBLIC_URL === undefined
    ? `${config.QUARRY_TLS_CERTIFICATE === undefined ? 'http' : 'https'}://localhost:${port}`
    : new URL(config.QUARRY_PUBLIC_URL).origin;

export const processEnvironment = (): NodeJS.ProcessEnv => process.env;

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.join(', ')}: this setting does not exist: 'quarry config' lists all`;
  return `${issue.path.slice(0, 1).join('')}: ${issue.message}`;
}
