/**
 * Runs Node for this project, also from a fresh clone: `node scripts/node.mjs [--production] <arguments>`.
 *
 * 1. Where the running Node is too old, npm installs a newer one into scripts/node/.
 * 2. npm, run by that Node, installs the dependencies. `--production` leaves out what only tests and checks need.
 * 3. That Node runs with the arguments in the project's folder. Its exit code is passed on.
 *
 * This file needs Node 18 and nothing else.
 */
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, passSignalsOn, recentNode, run } from '../packages/server/bin/own-node.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

passSignalsOn();
const args = process.argv.slice(2);
const production = args[0] === '--production' && Boolean(args.shift());
const node = await recentNode(join(ROOT, 'scripts/node'));
process.env.PATH = dirname(node) + delimiter + process.env.PATH;
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/quarry/compiled');
const wish = { what: 'the dependencies', lock: join(ROOT, 'scripts/node/.lock') };
await (production
  ? install(ROOT, node, { ...wish, kinds: ['all', 'production'], flags: ['--omit=dev'] })
  : install(ROOT, node, { ...wish, kinds: ['all'], flags: ['--include=dev'] }));
const inherited = Object.keys(process.env).filter((name) => name.startsWith('npm_package_'));
for (const name of inherited) delete process.env[name];
process.exit(await run(node, args, { stdio: 'inherit', cwd: ROOT }));
