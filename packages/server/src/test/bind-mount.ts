/** Shows a folder or a file under a second path, where this user may mount. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: 'ignore' });

/**
 * Runs the callback while `path`, which does not exist yet, shows `original`. Skips the test where this user may mount
 * nothing.
 */
export async function bindMount(
  test: TestContext,
  original: string,
  path: string,
  act: () => Promise<void>,
): Promise<void> {
  if (statSync(original).isDirectory()) mkdirSync(path);
  else writeFileSync(path, '');
  try {
    run('mount', '--bind', original, path);
  } catch {
    // In some containers, not even root may mount.
    return test.skip('nothing may be mounted here');
  }
  try {
    await act();
  } finally {
    run('umount', path);
    rmSync(path, { recursive: true });
  }
}
