/** This transformer misbehaves with each entity in the way that its text names, and does not change other entities. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import * as threads from 'node:worker_threads';

const deeds = {
  throw() {
    throw new Error('no, 4111 1111 1111 1111 is not for me');
  },
  throwUnstorable() {
    throw new Error('odd \0 \ud800.');
  },
  throwNothing() {
    throw null;
  },
  throwTrap() {
    throw {
      toString() {
        throw new Error('again');
      },
    };
  },
  spin() {
    for (;;);
  },
  hang: () => new Promise(() => {}),
  exit: () => process.exit(0),
  abort: () => process.abort(),
  allocateBuffers() {
    const all = [];
    for (let i = 0; i < 2048; i++) all.push(Buffer.alloc(1024 * 1024, 1));
    return all.length;
  },
  allocateObjects() {
    const all = [];
    for (;;) all.push({ i: all.length, text: 'x'.repeat(10) });
  },
  later() {
    setImmediate(() => {
      throw new Error('later');
    });
    return new Promise(() => {});
  },
  print() {
    process.stdout.write('{"is":"returned","json":"[]"}\n');
    process.stderr.write('4111111111111111');
    writeSync(1, 'to standard output\n');
  },
  nothing: () => undefined,
  text: () => 'no list',
  nulls: () => [null],
  numbers: () => [1, 2],
  big: () => [{ n: 1n }],
  cycle() {
    const list = [];
    list.push(list);
    return list;
  },
  proxy: () =>
    new Proxy([], {
      get() {
        throw new Error('a trap');
      },
    }),
  huge: (one) => [{ ...one, text: 'x'.repeat(40_000_000) }],
  noName: (one) => [{ ...one, name: 7 }],
  noText: (one) => [{ entity_id: one.entity_id, name: one.name }],
  unknownField: (one) => [{ ...one, surprise: true }],
  otherType: (one) => [{ ...one, entity_type: 'Elsewhere' }],
  stranger: (one) => [one, { ...one, entity_id: 'nobody' }],
  twice: (one) => [one, one],
  many: (one) =>
    Array.from({ length: 1500 }, (_, i) => ({ ...one, entity_id: `${one.entity_id}${i}` })),
  script: (one) => [{ ...one, url: 'javascript:alert(1)' }],
  viewers: (one) => [{ ...one, access: { viewers: ['everybody'], is_public: true } }],
  readSecrets: (one) => [{ ...one, text: readFileSync('/etc/hostname', 'utf8') }],
  climb: (one) => [
    { ...one, text: readFileSync(new URL('../outside.txt', import.meta.url), 'utf8') },
  ],
  link: (one) => [{ ...one, text: readFileSync(new URL('./link.txt', import.meta.url), 'utf8') }],
  importOutside: async () => import(new URL('../outside.js', import.meta.url).href),
  write: () => writeFileSync(new URL('./written.txt', import.meta.url), 'x'),
  run: () => execFileSync('/bin/true'),
  killParent: () => process.kill(process.ppid, 'SIGKILL'),
  thread: () => new threads.Worker('process.kill(process.ppid)', { eval: true }),
  forge() {
    const json = JSON.stringify({ is: 'returned', json: ['forged'], rss: 1 });
    writeSync(3, Buffer.from([0, 0, 0, json.length]));
    writeSync(3, json);
    return new Promise(() => {});
  },
  answer: () => process.send({ is: 'returned', json: '[]', rss: 1 }),
  environment: (one) => [{ ...one, text: `environment: ${JSON.stringify(process.env)}` }],
};

export async function misbehave(entities, _config) {
  const results = await Promise.all(
    entities.map(async (one) => {
      const [, deed] = /^deed (\w+)/.exec(one.text) ?? [];
      if (deed === undefined) return [one];
      if (deed !== 'print') return deeds[deed](one);
      deeds.print();
      return [one];
    }),
  );
  const only = results.find(
    (result) => !Array.isArray(result) || result.some((one) => one === null),
  );
  if (entities.length === 1) return results[0];
  return only === undefined ? results.flat() : only;
}
