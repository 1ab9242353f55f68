/**
 * These tests check that the lock files fit every platform. npm leaves out an optional package that it cannot find,
 * without a warning; the lock file then fits only the machine on which it was made. Lock files must also name no host,
 * because the user who installs chooses the registry.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Locked {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

for (const folder of ['', 'scripts/node']) {
  const path = join(folder, 'package-lock.json');
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const packages = Object.entries(lock.packages);
  const installed = packages.filter(
    ([name, { link }]) => name.includes('node_modules/') && link !== true,
  );

  describe(path, () => {
    it('has an entry for every optional dependency of every package', () => {
      const missing = packages.flatMap(([name, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((wanted) => !places(name, wanted).some((place) => place in lock.packages))
          .map((wanted) => `${wanted}, wanted by ${name}`),
      );
      assert.ok(installed.length > 0);
      assert.deepEqual(missing, []);
    });

    it('names no host', () => {
      const hosts = installed.filter(([, { resolved }]) => resolved !== undefined);
      assert.deepEqual(hosts, []);
    });

    it('pins the content of every package', () => {
      const loose = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
      assert.deepEqual(loose, []);
    });
  });
}

describe('package.json', () => {
  it('pins every version', () => {
    const manifests = globSync('{.,scripts/node,packages/*}/package.json', { cwd: ROOT });
    assert.ok(manifests.length >= 3);
    const loose = manifests.flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
      const wanted = Object.entries({
        ...manifest.dependencies,
        ...manifest.devDependencies,
        ...manifest.optionalDependencies,
      });
      return wanted
        .filter(([, version]) => !EXACT.test(String(version)))
        .map(([name, version]) => `${path}: ${name} ${version}`);
    });
    assert.deepEqual(loose, []);
  });
});

/** Returns where Node looks for `wanted` from the package at `path`, the nearest place first. */
function places(path: string, wanted: string): string[] {
  const parts = path.split('/');
  return [...parts.keys(), parts.length]
    .map((length) => [...parts.slice(0, length), 'node_modules', wanted].join('/'))
    .toReversed();
}
