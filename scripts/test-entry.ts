/**
 * `node <options of the test runner> scripts/test-entry.ts <test file>…` runs the tests of all files in this process, one
 * after the other.
 *
 * It does what `node --test --test-isolation=none` does, in two thirds of the time. The runner follows every promise of the
 * process by a hook (`async_hooks`), with which it finds the suite in whose function a test is declared, and the test that
 * has caused an error which nobody handles. The hook makes each `await` twenty times as expensive. So it is switched off
 * once all tests are declared. An error that nobody handles then belongs to no test: it is printed, and the runner ends
 * with exit code 1.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';

const ofHooks: Pick<AsyncHook, 'enable'> = Object.getPrototypeOf(createHook({}));
const { enable } = ofHooks;
const enabled: AsyncHook[] = [];
ofHooks.enable = function (this: AsyncHook) {
  enabled.push(this);
  return enable.call(this);
};

// The runner enables its hook when a test file first uses it, so it is loaded after the lines above.
const { before, it } = await import('node:test');
const declared = Promise.withResolvers<void>();
before(async () => {
  await declared.promise;
  ofHooks.enable = enable;
  for (const hook of enabled) hook.disable();
});
process.on('uncaughtExceptionMonitor', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));
for (const file of process.argv.slice(2))
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    it(`${file} can be loaded`, () => {
      throw error;
    });
  }
declared.resolve();
