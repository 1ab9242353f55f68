import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CallFailed, createFunctions, type Functions } from '../../transformers/functions.ts';
import { ModuleRefused, modulePath } from '../../transformers/module-path.ts';
import { readableIn } from '../../transformers/readable.ts';

const never = new AbortController().signal;

describe('modules of transformers', () => {
  let root: string;
  let folder: string;
  let functions: Functions;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'quarry-modules-'));
    folder = join(root, 'modules');
    mkdirSync(join(folder, 'below'), { recursive: true });
    for (const name of ['hostile.js', 'kind.js'])
      cpSync(fileURLToPath(new URL(`./modules/${name}`, import.meta.url)), join(folder, name));
    writeFileSync(join(root, 'outside.js'), 'export const outside = 1;');
    writeFileSync(join(folder, 'below/inside.js'), '');
    writeFileSync(join(folder, 'broken.js'), 'export async function copy(a, b) {');
    functions = createFunctions({ folder, timeoutMs: 10_000, memoryMb: 256 });
  });
  after(async () => {
    await functions.close();
    rmSync(root, { recursive: true });
  });

  it('are readable in the whole folder, except for links that lead out of it', async () => {
    assert.deepEqual(await readableIn(folder), [folder]);
    symlinkSync(join(folder, 'kind.js'), join(folder, 'alias.js'));
    assert.deepEqual(await readableIn(folder), [folder]);
    symlinkSync(join(root, 'outside.js'), join(folder, 'below/link.js'));
    symlinkSync(root, join(folder, 'up'));
    symlinkSync(join(root, 'nowhere'), join(folder, 'dangling'));
    assert.deepEqual(
      (await readableIn(folder)).map((path) => path.slice(folder.length + 1)).toSorted(),
      ['alias.js', 'below/inside.js', 'broken.js', 'hostile.js', 'kind.js'],
    );
  });

  for (const name of [
    '../outside.js',
    'below/../../outside.js',
    '/etc/passwd.js',
    'below/link.js',
    'up/outside.js',
    'below\\..\\outside.js',
  ])
    it(`[TRF-08] are refused outside the folder: ${name}`, () =>
      assert.rejects(modulePath(folder, name), { name: 'ModuleRefused', message: /leads out/ }));

  for (const name of [
    'missing.js',
    'below.js',
    'kind.js/more.js',
    'dangling',
    'kind',
    'kind.json',
    `${'x'.repeat(400)}.js`,
  ])
    it(`[TRF-19] are refused when they do not exist: ${name.slice(0, 20)}`, () =>
      assert.rejects(
        modulePath(folder, name),
        (error) =>
          error instanceof ModuleRefused && /does not exist below|extension/.test(error.message),
      ));

  it('are refused when no folder is configured', () =>
    assert.rejects(modulePath(undefined, 'kind.js'), /QUARRY_TRANSFORMERS_DIR/));

  for (const method of ['one', 'three', 'promised', 'number', 'missing', 'default', 'constructor'])
    it(`[TRF-09] are refused when their function is not async with two parameters: ${method}`, () =>
      assert.rejects(
        functions.requireFunction(join(folder, 'kind.js'), method, never),
        (error) =>
          error instanceof CallFailed &&
          /not an exported async function .* exactly two parameters/.test(error.message),
      ));

  it('[TRF-09] are accepted with an async function of two parameters', () =>
    functions.requireFunction(join(folder, 'kind.js'), 'copy', never));

  it('are refused with the reason when they cannot be loaded', () =>
    assert.rejects(
      functions.requireFunction(join(folder, 'broken.js'), 'copy', never),
      /cannot be loaded: /,
    ));
});
