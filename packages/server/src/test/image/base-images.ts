/**
 * Makes stand-ins of the two images from which deploy/Dockerfile begins, because no registry of images can be reached. They
 * have the same Debian packages as far as the steps of the Dockerfile and the service need them, taken from this machine,
 * and the Node that runs this test. Other than the real ones, they lack all further packages of Debian, such as apt and perl,
 * and npm. They are of the same release as the real ones only where this machine is.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Buildah } from './buildah.ts';

const PACKAGES = [
  ...['base-files', 'base-passwd', 'coreutils', 'dash', 'gzip', 'libacl1', 'libattr1', 'libc-bin'],
  ...['libc6', 'libgcc-s1', 'libgmp10', 'libpcre2-8-0', 'libselinux1', 'libstdc++6', 'tar'],
];
/** Documentation and translations are in no slim image either. */
const LEFT_OUT = /^\/usr\/share\/(doc|man|locale|info|lintian)\//;
/** Debian has these folders below /usr, with links to them, while older packages list them at the root. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

export function makeBaseImages(
  buildah: Buildah,
  folder: string,
  names: { readonly debian: string; readonly node: string },
): void {
  const root = join(folder, 'debian');
  fillDebian(root);
  const archive = join(folder, 'debian.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  const container = buildah('from', 'scratch').trim();
  buildah('add', container, archive, '/');
  buildah('commit', '--quiet', container, names.debian);
  buildah('copy', container, process.execPath, '/usr/local/bin/node');
  buildah('commit', '--quiet', container, names.node);
  buildah('rm', container);
}

function fillDebian(root: string): void {
  for (const name of MERGED) {
    fs.mkdirSync(join(root, 'usr', name), { recursive: true });
    fs.symlinkSync(`usr/${name}`, join(root, name));
  }
  for (const name of ['dev', 'etc', 'proc', 'sys', 'tmp', 'var/tmp'])
    fs.mkdirSync(join(root, name), { recursive: true });
  fs.chmodSync(join(root, 'tmp'), 0o1777);
  const files = execFileSync('dpkg', ['-L', ...PACKAGES], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path.startsWith('/') && !LEFT_OUT.test(path))
    .map((path) => path.replace(/^\/(?:usr\/)?(s?bin|lib|lib64)\//, 'usr/$1/').replace(/^\//, ''))
    .filter((path) => isFileOrLink(join('/', path)));
  execFileSync('tar', ['-C', root, '-xf', '-'], {
    input: execFileSync(
      'tar',
      ['-C', '/', '-cf', '-', '--no-recursion', '--verbatim-files-from', '-T', '-'],
      { input: [...new Set(files)].join('\n'), maxBuffer: 2 ** 30 },
    ),
  });
  for (const name of ['passwd', 'group'])
    fs.copyFileSync(`/usr/share/base-passwd/${name}.master`, join(root, 'etc', name));
}

function isFileOrLink(path: string): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isSymbolicLink());
}
