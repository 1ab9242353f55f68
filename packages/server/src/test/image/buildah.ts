/** Runs buildah, which builds images without a daemon, with a storage of its own. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Returns what the command prints. */
export type Buildah = (...args: readonly string[]) => string;

export function openBuildah(folder: string): Buildah {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  return (...args) =>
    execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: 'pipe' });
}

/** This is the part of the configuration of an image that says how it is run. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, object>>;
}

export const configOfImage = (buildah: Buildah, image: string): ImageConfig =>
  JSON.parse(buildah('inspect', '--type', 'image', image)).OCIv1.config;

/** Returns why this machine cannot build and run images, or null. */
export function whyNoImages(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.geteuid?.() !== 0) return 'needs root, to mount and to change the user';
  const missing = ['buildah', 'dpkg', 'unshare', 'setpriv', 'chroot'].filter((name) => !has(name));
  if (missing.length > 0) return `${missing.join(', ')}: not installed on this machine`;
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `this machine allows no namespaces: ${(error as Error).message}`;
  }
}

function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'pipe' });
    return true;
  } catch {
    // The shell ends with a status when it does not find the program.
    return false;
  }
}
