#!/usr/bin/env node
/**
 * The command `quarry` of the package. The data lies in the user's data folder, unless a setting names another one. Where
 * the running Node is too old, the command runs in the one that install-node.mjs has installed.
 */
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import envPaths from 'env-paths';
import { passSignalsOn, recentNode, run } from './own-node.mjs';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/**
 * A service that collects young objects early, and old ones after a growth of 30 %, needs less memory. V8 takes these
 * settings only when it starts.
 */
const FLAGS_OF_SERVICE = ['--max-semi-space-size=4', '--heap-growing-percent=30'];

const { data, cache } = envPaths('quarry', { suffix: '' });
process.env.QUARRY_DATA_DIR ??= data;
process.env.NODE_COMPILE_CACHE ??= join(cache, 'compiled');

const args = process.argv.slice(2);
const flags = args[0] === 'start' ? FLAGS_OF_SERVICE : [];
// The folder of the package may belong to another user, so a Node that is installed later lies in the user's cache.
const pinned = fileURLToPath(new URL('node', import.meta.url));
const node = await recentNode(pinned, join(cache, 'node'));
if (node === process.execPath && flags.length === 0) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { main } = await import('../dist/main.js');
  await main(args);
} else {
  passSignalsOn();
  process.exit(await run(node, [...flags, MAIN, ...args], { stdio: 'inherit' }));
}
