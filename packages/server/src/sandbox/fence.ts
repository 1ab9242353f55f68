/**
 * This is the fence of a sandbox, and has nothing to do with the fence of a lease (syncs/jobs/fence.ts).
 *
 * The file is loaded into the child process before the process's own code. It removes what the permission model of
 * Node leaves open and what a parser or a transformer function does not need. Each removed function is the only way
 * to its effect, and it is removed from an object that all code in the process shares, so it does not matter by
 * which path code gets hold of that object. `docs/transformers.md` says what holds and what does not.
 *
 * The fence also removes what it does not know: a module that a newer Node brings, or a function that a newer Node
 * adds to `process`, `os`, `v8` or `worker_threads`.
 */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { builtinModules, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { KEPT, KNOWN_MODULES } from './known.ts';

/** The parent passes this argument after the memory limit. When the argument is missing, the network stays closed. */
const MAY_CONNECT = process.argv[3] === 'true';

function raise(): void {
  // The watchdog is the last thread that may start, because a new thread would have everything that is removed here.
  (process.permission as unknown as { drop(scope: string): void }).drop('worker');
  keepFromSockets();
  // A plain object replaces the real environment of the process, because libraries in C read from
  // the real one which files to open.
  Object.defineProperty(process, 'env', { value: {}, enumerable: true, writable: true });
  for (const name of builtinModules) if (!KNOWN_MODULES.has(name)) keepOf(name, []);
  for (const [name, kept] of Object.entries(KEPT)) keepOf(name, kept);
  syncBuiltinESMExports();
}

/**
 * A socket of this machine is either a file that would be created, or a door to a service that
 * trusts every process that finds it.
 */
function keepFromSockets(): void {
  deny(handleOf(process.stdin), ['bind', 'connect', 'fchmod', 'listen']);
  const tcp = new Socket();
  // This call creates the handle now, and would connect it only later.
  tcp.connect({ host: '127.0.0.1', port: 1 });
  if (MAY_CONNECT) deny(handleOf(tcp), ['listen']);
  else keepFromNetwork(handleOf(tcp));
  tcp.destroy();
}

/**
 * TLS, HTTP and fetch use TCP handles, and a resolver asks through a handle of its own. The other functions
 * of `dns` need no handle, but no other module leads to them, and all other code in Node that looks up a
 * name calls this module each time.
 */
function keepFromNetwork(tcp: Handle): void {
  const udp = createSocket('udp4');
  // The handle is inside an object that the socket keeps under a symbol of Node's own.
  const kept = Object.getOwnPropertySymbols(udp).map((key) => Reflect.get(udp, key));
  const { handle } = kept.find((one) => one?.handle);
  for (const one of [tcp, handle, handleOf(new Resolver())]) deny(one, methodsOf(one));
  udp.close();
  keepOf('dns', ['Resolver', 'promises']);
  keepOf('dns/promises', ['Resolver']);
}

type Handle = object;

const handleOf = (owner: object) => (owner as { readonly _handle: Handle })._handle;

/** The list leaves out the methods that the handle shares with handles of other kinds. */
const methodsOf = (handle: Handle) =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(handle)))
    .filter(([key, { value }]) => key !== 'constructor' && typeof value === 'function')
    .map(([key]) => key);

/** Makes these methods answer EACCES on all handles of this kind. */
function deny(handle: Handle, methods: readonly string[]): void {
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES') ?? [];
  const prototype = Object.getPrototypeOf(handle);
  for (const method of methods) Object.defineProperty(prototype, method, { value: () => denied });
}

/** Keeps only the named members of a module, and its values that are neither functions nor objects. */
function keepOf(module: string, kept: readonly string[]): void {
  // The module is undefined when a flag has switched it off.
  const object = process.getBuiltinModule(module);
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object ?? {})))
    if (!kept.includes(key) && !isPlain(value)) refuse(object as object, key, `${module}.${key}`);
}

/** A property with a getter has no value in its descriptor, so it does not count as plain. */
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

// The thread of the watchdog runs only our code, and it must be able to kill the process.
if (isMainThread) raise();
