/** Prepares ssh for one run of git: only the given key, only the given host keys, and no settings of anybody. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../../errors.ts';
import { type GitConfig, type GitCredentials, keysOf } from './config.ts';

/** The host keys stand under this name, because the connection may go to an address. */
const ALIAS = 'quarry-remote';

export interface SshAccess extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** The files with the key and the host keys exist until the access is disposed of. */
export async function openSsh(
  folder: string,
  to: string,
  {
    config,
    credentials,
  }: { readonly config: GitConfig; readonly credentials: GitCredentials | null },
): Promise<SshAccess> {
  const key = credentials?.private_key;
  if (key === undefined)
    throw new SourceError('auth', 'an address by ssh needs private_key in the credentials');
  const known = keysOf(config);
  if (known.length === 0 && !config.accept_any_host_key)
    throw new SourceError('config', 'an address by ssh needs host_keys, or accept_any_host_key', {
      hint: 'Compare the keys that ssh-keyscan prints with those that the provider publishes, and put them into host_keys.',
    });
  const keyPath = join(folder, 'quarry-key');
  const knownPath = join(folder, 'quarry-hosts');
  const options = {
    HostName: to,
    HostKeyAlias: ALIAS,
    CheckHostIP: 'no',
    StrictHostKeyChecking: known.length > 0 ? 'yes' : 'no',
    UserKnownHostsFile: `"${knownPath}"`,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ControlPath: 'none',
    ConnectTimeout: '15',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    LogLevel: 'ERROR',
  };
  const words = ['ssh', '-F', '/dev/null', '-i', keyPath];
  for (const [name, value] of Object.entries(options)) words.push('-o', `${name}=${value}`);
  const access: SshAccess = {
    env: { GIT_SSH_COMMAND: words.map(quoted).join(' '), GIT_SSH_VARIANT: 'ssh' },
    async [Symbol.asyncDispose]() {
      await Promise.all([keyPath, knownPath].map((path) => rm(path, { force: true })));
    },
  };
  try {
    await writeFile(keyPath, `${key.replaceAll('\r\n', '\n').trimEnd()}\n`, { mode: 0o600 });
    await writeFile(knownPath, known.map((one) => `${ALIAS} ${one}\n`).join(''), { mode: 0o600 });
  } catch (error) {
    await access[Symbol.asyncDispose]();
    throw error;
  }
  return access;
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
