/**
 * Loaded into the child process before its own code: takes away what the permission model of Node leaves
 * open and a parser or a function of a transformer has no use for. What is taken is the only way to what
 * it does: an object that everybody shares loses it, so that it does not matter how somebody gets hold of
 * that object. `docs/transformers.md` says what holds and what does not.
 *
 * What is not known is taken as well: a module that a newer Node brings, or a function that it adds to
 * `process`, `os`, `v8` or `worker_threads`.
 */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { builtinModules, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { KEPT, KNOWN_MODULES } from './known.ts';

/** The parent says it beside the limit of the memory. Where it says nothing, the network is closed. */
const MAY_CONNECT = process.argv[3] === 'true';

function raise(): void {
  // The watchdog was the last thread: in another one everything that goes here would be there again.
  (process.permission as unknown as { drop(scope: string): void }).drop('worker');
  keepFromSockets();
  // The real one is that of the process: libraries in C read there which files to read.
  Object.defineProperty(process, 'env', { value: {}, enumerable: true, writable: true });
  for (const name of builtinModules) if (!KNOWN_MODULES.has(name)) keepOf(name, []);
  for (const [name, kept] of Object.entries(KEPT)) keepOf(name, kept);
  syncBuiltinESMExports();
}

/** A socket of this machine is a file that is made, or a door to a service that trusts whoever finds it. */
function keepFromSockets(): void {
  deny(handleOf(process.stdin), ['bind', 'connect', 'fchmod', 'listen']);
  const tcp = new Socket();
  // This makes the handle now, and would connect it later.
  tcp.connect({ host: '127.0.0.1', port: 1 });
  if (MAY_CONNECT) deny(handleOf(tcp), ['listen']);
  else keepFromNetwork(handleOf(tcp));
  tcp.destroy();
}

/**
 * TLS, HTTP and fetch use handles of TCP, and a resolver asks by a handle of its own. The other functions of
 * `dns` need no handle; no other module leads to them, and what else in Node looks up a name asks this one
 * each time.
 */
function keepFromNetwork(tcp: Handle): void {
  const udp = createSocket('udp4');
  // The handle is in what the socket keeps under a symbol of Node's own.
  const kept = Object.getOwnPropertySymbols(udp).map((key) => Reflect.get(udp, key));
  const { handle } = kept.find((one) => one?.handle);
  for (const one of [tcp, handle, handleOf(new Resolver())]) deny(one, methodsOf(one));
  udp.close();
  keepOf('dns', ['Resolver', 'promises']);
  keepOf('dns/promises', ['Resolver']);
}

type Handle = object;

const handleOf = (owner: object) => (owner as { readonly _handle: Handle })._handle;

/** Without those that it shares with handles of other kinds. */
const methodsOf = (handle: Handle) =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(handle)))
    .filter(([key, { value }]) => key !== 'constructor' && typeof value === 'function')
    .map(([key]) => key);

/** Lets these methods of all handles of this kind answer that they are not allowed. */
function deny(handle: Handle, methods: readonly string[]): void {
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES') ?? [];
  const prototype = Object.getPrototypeOf(handle);
  for (const method of methods) Object.defineProperty(prototype, method, { value: () => denied });
}

/** Leaves of a module only what is named, and what can neither be called nor asked for anything. */
function keepOf(module: string, kept: readonly string[]): void {
  // None where a flag has switched it off.
  const object = process.getBuiltinModule(module);
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object ?? {})))
    if (!kept.includes(key) && !isPlain(value)) refuse(object as object, key, `${module}.${key}`);
}

/** Also false for what a getter would give. */
const isPlain = (value: unknown) =>
  value !== undefined && (value === null || !['object', 'function'].includes(typeof value));

function refuse(object: object, key: string, name: string): void {
  const message = `${name} is not available in a limited process (docs/transformers.md)`;
  // Some of them are classes, and `new` takes no arrow function.
  function value() {
    throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
  }
  Object.defineProperty(object, key, { value, configurable: true, writable: true });
}

// The thread of the watchdog runs our code alone, and has to kill.
if (isMainThread) raise();
