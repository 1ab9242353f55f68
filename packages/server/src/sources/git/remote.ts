/** Reads the address of a repository, and prepares the way to it within what the operator allows. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { SourceError, shown } from '../../errors.ts';
import { isConfidential } from '../../net/addresses.ts';
import type { SourceEnvironment } from '../define.ts';

const USER = /^[\w.+-]{1,64}$/;
/** These hosts need no escapes in the options of ssh. An IPv6 address stands in brackets. */
const HOST = /^(?:[a-z\d](?:[a-z\d._-]{0,252})|\[[\da-f:.]{2,45}\])$/i;
/** Git's short form of an address for ssh has no scheme: git@example.org:team/notes.git. */
const SHORT = /^([^@/:\s]+)@([^@/:\s]+):(?!\/\/)([^\s].*)$/s;

export type GitRemote =
  | { readonly by: 'https'; readonly host: string; readonly port: string; readonly address: string }
  | { readonly by: 'ssh'; readonly host: string; readonly address: string }
  | { readonly by: 'file'; readonly path: string };

/** It is valid when `readRemote` returns an address. */
export const RemoteAddress = z
  .string()
  .max(2000)
  .refine(
    (text) => readRemote(text) !== null,
    'is not an address such as https://example.org/team/notes.git, ssh://git@example.org/team/notes.git, git@example.org:team/notes.git or file:///srv/notes.git, without a password in it',
  );

/** Returns null when the text is not an address of a supported kind, or has a password in it. */
function readRemote(text: string): GitRemote | null {
  if (/[\p{Cc}\\]/u.test(text)) return null;
  const short = SHORT.exec(text);
  if (!short) return readUrl(URL.parse(text));
  const [, user = '', host = '', path = ''] = short;
  const isRight = USER.test(user) && HOST.test(host) && !path.startsWith('-');
  return isRight ? { by: 'ssh', host, address: text } : null;
}

function readUrl(url: URL | null): GitRemote | null {
  if (!url || url.password || url.search || url.hash || url.pathname.length < 2) return null;
  const { protocol, hostname: host, username, pathname, href: address } = url;
  if (protocol === 'file:') return host === '' ? { by: 'file', path: fileURLToPath(url) } : null;
  if (!HOST.test(host)) return null;
  if (protocol === 'ssh:')
    return USER.test(username) && !pathname.startsWith('/-') ? { by: 'ssh', host, address } : null;
  if (username || !isConfidential(url)) return null;
  const port = url.port || (protocol === 'https:' ? '443' : '80');
  return { by: 'https', host, port, address };
}

/** A way to a remote that the operator allows. */
export interface AllowedRemote {
  readonly by: GitRemote['by'];
  /** This is the address that git gets. */
  readonly address: string;
  /** These settings of git pin the address that was checked. */
  readonly settings: Readonly<Record<string, string>>;
  /** The connection of ssh goes to this host or IP address. */
  readonly sshTo: string;
}

/** Throws a SourceError 'config' when the operator does not allow the host or the path. */
export async function allowRemote(
  address: string,
  { allowHost, allowPath }: Pick<SourceEnvironment, 'allowHost' | 'allowPath'>,
): Promise<AllowedRemote> {
  const remote = readRemote(address);
  if (!remote)
    throw new SourceError('config', `'${shown(address)}' is not the address of a repository`);
  if (remote.by === 'file') {
    const path = await allowPath(remote.path);
    return { by: 'file', address: `file://${path}`, settings: {}, sshTo: '' };
  }
  const to = await allowHost(remote.host);
  const { by } = remote;
  if (by === 'ssh') return { by, address: remote.address, settings: {}, sshTo: to };
  // The name may resolve differently the second time, so the checked address is the only one that curl knows for it.
  const resolve = `${remote.host}:${remote.port}:${to.includes(':') ? `[${to}]` : to}`;
  const isPinned = to !== remote.host.replace(/^\[|\]$/g, '');
  return {
    by,
    address: remote.address,
    settings: isPinned ? { 'http.curloptResolve': resolve } : {},
    sshTo: '',
  };
}

/** Returns the name by which people call the repository, such as `team/notes`. */
export const nameOfRemote = (address: string): string => {
  const path = SHORT.exec(address)?.[3] ?? decoded(URL.parse(address)?.pathname ?? address);
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/');
  return (
    parts
      .filter((part) => part !== '')
      .slice(-2)
      .join('/') || address
  );
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
