/**
 * Loaded into the child process before its own code: takes away what the permission model of Node leaves
 * open and a parser or a function of a transformer has no use for. What is taken is the only way to what
 * it does: an object that everybody shares loses it, so that it does not matter how somebody gets hold of
 * that object. `docs/transformers.md` says what holds and what does not.
 *
 * What is not known is taken as well: a module that a newer Node brings, or a function that it adds to
 * `process`, `os` or `v8`.
 */
import { builtinModules, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { KEPT, KNOWN_MODULES } from './known.ts';

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
  const tcp = new Socket();
  // This makes the handle now, and would connect it later.
  tcp.connect({ host: '127.0.0.1', port: 1 });
  deny(process.stdin, ['bind', 'connect', 'fchmod', 'listen']);
  deny(tcp, ['listen']);
  tcp.destroy();
}

/** Lets these methods of all handles of the kind that the stream has answer that they are not allowed. */
function deny(stream: object, methods: readonly string[]): void {
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES') ?? [];
  const prototype = Object.getPrototypeOf((stream as { readonly _handle: object })._handle);
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
  const value = () => {
    const message = `${name} is not available in a limited process (docs/transformers.md)`;
    throw Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED' });
  };
  Object.defineProperty(object, key, { value, configurable: true, writable: true });
}

// The thread of the watchdog runs our code alone, and has to kill.
if (isMainThread) raise();
