/**
 * Runs the root file system of an image as a container would be run: read-only, with its own processes, a few devices, an
 * empty /tmp, the data of the image's volume, and the image's user without any capability. The network is that of the
 * machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ImageConfig } from './buildah.ts';

const DEVICES = ['null', 'zero', 'random', 'urandom'];

/** The words after the script are the root, the folder of the data, the user, and the command. */
const SCRIPT = `
set -eu
root=$1 data=$2 user=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs devices "$root/dev"
for name in ${DEVICES.join(' ')}; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mount -o remount,ro "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --bind "$data" "$root/data"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+setuid,+setgid,+sys_chroot \\
  chroot --userspec="$user" --groups= "$root" "$@"
`;

export interface ImageRun {
  readonly root: string;
  readonly data: string;
  readonly config: ImageConfig;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function runImage({ root, data, config, args, env = {} }: ImageRun): ChildProcess {
  const own = Object.fromEntries(
    config.Env.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  );
  return spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SCRIPT, 'run-image'],
      ...[root, data, config.User, ...args],
    ],
    { env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

/** Returns the number of the first process of the container, as the machine sees it. */
export const firstProcessOf = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
