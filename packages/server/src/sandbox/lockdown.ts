/**
 * The child process loads this file before its own code. The file removes functions that the permission model of Node
 * leaves open and that parsers and transformer functions do not need. Each function is removed from the object that all
 * code of the process shares, and no other function has the same effect. So code cannot get the function by another
 * path. `docs/transformers.md` says against what the sandbox protects.
 *
 * The lockdown also removes everything that it does not know: modules that a newer Node adds, and functions that a newer
 * Node adds to `process`, `os`, `v8` or `worker_threads`.
 */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { builtinModules, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { KEPT_MEMBERS, KNOWN_MODULES } from './known.ts';

/** The parent passes this argument after the memory limit. When the argument is missing, the network stays closed. */
const MAY_CONNECT = process.argv[3] === 'true';

function lockDown(): void {
  // After the watchdog, no other thread may start, because a new thread would have all the functions that are removed
  // here.
  (process.permission as unknown as { drop(scope: string): void }).drop('worker');
  closeUnixSockets();
  // A plain object replaces the environment of the process. Otherwise code could set variables in which C libraries
  // read the files to open.
  Object.defineProperty(process, 'env', { value: {}, enumerable: true, writable: true });
  for (const name of builtinModules) if (!KNOWN_MODULES.has(name)) keepOnly(name, []);
  for (const [name, kept] of Object.entries(KEPT_MEMBERS)) keepOnly(name, kept);
  syncBuiltinESMExports();
}

/**
 * Closes Unix sockets: listening on one creates a file, and connecting to one may reach a service that trusts every
 * process on this machine.
 */
function closeUnixSockets(): void {
  deny(handleOf(process.stdin), ['bind', 'connect', 'fchmod', 'listen']);
  const tcp = new Socket();
  // This call creates the handle at once, and would connect it only later.
  tcp.connect({ host: '127.0.0.1', port: 1 });
  if (MAY_CONNECT) deny(handleOf(tcp), ['listen']);
  else closeNetwork(handleOf(tcp));
  tcp.destroy();
}

/**
 * Closes the network. TLS, HTTP and fetch use TCP handles, and a resolver has a handle of its own. The other functions
 * of `dns` have no handle, so they are removed from the module: all code of Node that looks up a name calls the
 * function of this module each time.
 */
function closeNetwork(tcp: Handle): void {
  const udp = createSocket('udp4');
  // The socket holds its handle in an object under a private symbol of Node.
  const kept = Object.getOwnPropertySymbols(udp).map((key) => Reflect.get(udp, key));
  const { handle } = kept.find((one) => one?.handle);
  for (const one of [tcp, handle, handleOf(new Resolver())]) deny(one, methodsOf(one));
  udp.close();
  keepOnly('dns', ['Resolver', 'promises']);
  keepOnly('dns/promises', ['Resolver']);
}

type Handle = object;

const handleOf = (owner: object) => (owner as { readonly _handle: Handle })._handle;

/** Returns the methods of this kind of handle, without those that it shares with other kinds. */
const methodsOf = (handle: Handle) =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(handle)))
    .filter(([key, { value }]) => key !== 'constructor' && typeof value === 'function')
    .map(([key]) => key);

/** Makes these methods fail with EACCES on all handles of this kind. */
function deny(handle: Handle, methods: readonly string[]): void {
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES') ?? [];
  const prototype = Object.getPrototypeOf(handle);
  for (const method of methods) Object.defineProperty(prototype, method, { value: () => denied });
}

/** Removes all members of a module except the named ones and plain values. */
function keepOnly(module: string, kept: readonly string[]): void {
  // The module is undefined when a flag has switched it off.
  const object = process.getBuiltinModule(module);
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object ?? {})))
    if (!kept.includes(key) && !isPlain(value)) refuse(object as object, key, `${module}.${key}`);
}

/**
 * Returns true for values that are neither functions nor objects. A property with a getter has no value in its
 * descriptor, so it does not count as plain.
 */
const isPlain = (value: unknown) =>
  value !== undefined && (value === null || !['object', 'function'].includes(typeof value));

function refuse(object: object, key: string, name: string): void {
  const message = `${name} is not available in a limited process (docs/transformers.md)`;
  // Some of the removed members are classes, and `new` does not accept an arrow function.
  function value() {
    throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
  }
  Object.defineProperty(object, key, { value, configurable: true, writable: true });
}

// The lockdown does not apply to the thread of the watchdog, which runs only our code and must be able to kill the
// process.
if (isMainThread) lockDown();
