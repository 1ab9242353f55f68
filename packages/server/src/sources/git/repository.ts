/**
 * A pull works on a bare repository of its own below the data directory, which is removed when the source is closed.
 * Only the folders of the needed commits are fetched into it, without history; contents are fetched for the records
 * that have changed. A server that cannot leave contents out sends those of the whole commit.
 */
import { mkdir } from 'node:fs/promises';
import { SourceError, shown } from '../../errors.ts';
import type { SourceContext } from '../define.ts';
import type { GitConfig, GitCredentials } from './config.ts';
import { tooOld } from './failure.ts';
import { type GitObjects, openObjects } from './objects.ts';
import { type GitRun, runGit } from './program.ts';
import { type AllowedRemote, allowRemote } from './remote.ts';
import { openSsh } from './ssh.ts';

const MINUTE = 60_000;
const LIST_MS = 2 * MINUTE;
const FETCH_MS = 30 * MINUTE;
const READ_MS = 60 * MINUTE;
const OLDEST = [2, 38] as const;

/** With these settings the repository lacks contents on purpose, while it fetches. */
const PARTIAL = {
  'remote.origin.promisor': 'true',
  'remote.origin.partialclonefilter': 'blob:none',
  'fetch.negotiationAlgorithm': 'noop',
};
const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--recurse-submodules=no',
  '--filter=blob:none',
  '--stdin',
];

export interface Tip {
  readonly branch: string;
  readonly commit: string;
}

export interface GitRepository {
  /** Returns the newest commit of the branch. Returns null when the repository has no branches at all. */
  tip(): Promise<Tip | null>;
  branches(): Promise<string[]>;
  fetchCommits(commits: readonly string[]): Promise<void>;
  fetchContents(oids: readonly string[]): Promise<void>;
  open(): GitObjects;
}

export type GitContext = Pick<
  SourceContext<GitConfig, GitCredentials | null>,
  'config' | 'credentials' | 'allowHost' | 'allowPath' | 'downloads' | 'signal' | 'meter'
>;

export async function openRepository(ctx: GitContext): Promise<GitRepository> {
  const { config, credentials, downloads, signal, meter } = ctx;
  const remote = await allowRemote(config.url, ctx);
  const folder = await downloads.newPath();
  await mkdir(folder, { mode: 0o700 });
  const password = credentials?.password;
  const run: Omit<GitRun, 'args'> = {
    folder,
    signal,
    timeoutMs: READ_MS,
    hidden: [password, credentials?.private_key].filter((one) => one !== undefined),
  };
  await checkVersion(run);
  await runGit({ ...run, args: ['init', '--quiet', '--bare', folder] });

  /** Runs a command that asks the server. */
  async function ask(
    args: readonly string[],
    { input = '', timeoutMs = LIST_MS, settings = {} } = {},
  ): Promise<string> {
    meter.requests++;
    await using ssh = remote.by === 'ssh' ? await openSsh(folder, remote.sshTo, ctx) : null;
    const login =
      remote.by === 'https' && password !== undefined
        ? { username: credentials?.username ?? 'git', password }
        : undefined;
    // The files of ssh must exist until git has ended.
    return await runGit(
      {
        ...run,
        args,
        timeoutMs,
        credentials: login,
        settings: { ...settingsOf(remote), ...settings },
        ...(ssh && { env: ssh.env }),
      },
      input,
    );
  }

  const bring = async (oids: readonly string[], more: readonly string[]) => {
    const input = oids.map((oid) => `${oid}\n`).join('');
    const args = [...FETCH, ...more, 'origin'];
    await ask(args, { input, timeoutMs: FETCH_MS, settings: PARTIAL });
  };

  return {
    async tip() {
      const wanted = config.branch === undefined ? 'HEAD' : `refs/heads/${config.branch}`;
      const refs = readRefs(await ask(['ls-remote', '--symref', 'origin', wanted]));
      const commit = refs.commits.get(wanted);
      if (commit !== undefined) return { commit, branch: config.branch ?? refs.head ?? 'HEAD' };
      const { commits } = readRefs(await ask(['ls-remote', '--heads', 'origin']));
      if (commits.size === 0 && config.branch === undefined) return null;
      throw config.branch === undefined
        ? new SourceError('config', 'the default branch of the repository does not exist', {
            hint: 'Name a branch.',
          })
        : new SourceError('config', `the repository has no branch '${shown(config.branch)}'`);
    },
    async branches() {
      const { commits } = readRefs(await ask(['ls-remote', '--heads', 'origin']));
      return [...commits.keys()].map((ref) => ref.replace('refs/heads/', ''));
    },
    fetchCommits: (commits) => bring(commits, ['--depth=1']),
    fetchContents: (oids) => bring(oids, []),
    open: () => openObjects(run),
  };
}

const settingsOf = ({ by, address, settings }: AllowedRemote) => ({
  'remote.origin.url': address,
  ...(by === 'https'
    ? { 'protocol.https.allow': 'always', 'protocol.http.allow': 'always' }
    : { [`protocol.${by}.allow`]: 'always' }),
  ...settings,
});

async function checkVersion(run: Omit<GitRun, 'args'>): Promise<void> {
  const version = (await runGit({ ...run, args: ['version'] })).trim();
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const isOld = Number(major) - OLDEST[0] || Number(minor) - OLDEST[1];
  if (!(isOld >= 0)) throw tooOld(version);
}

/** Reads the lines of `git ls-remote --symref`. */
function readRefs(text: string) {
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    const target = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1];
    if (target !== undefined && name === 'HEAD') head = target;
    else if (/^[\da-f]{40,64}$/.test(value)) commits.set(name, value);
  }
  return { commits, head };
}
