/** Asks name servers of the test, which answer in the form of RFC 1035 or not at all. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { isRouted, nameResolver } from './resolve-name.ts';

/** This is the type of questions for IPv4 addresses. */
const A = 1;

/** Answers each question by `answer`, which returns the bytes of an address, or null for none. */
async function openNameServer(
  t: TestContext,
  answer: (type: number) => readonly number[] | null | 'nothing' | 'unknown',
): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const type = question.readUInt16BE(question.length - 4);
    const answered = answer(type);
    if (answered === 'nothing') return;
    const isUnknown = answered === 'unknown';
    const data = isUnknown ? null : answered;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // The server recurses, and its answer has no error or says that no such name exists.
    head.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data === null ? 0 : 1, 6);
    const record = Buffer.alloc(12);
    // The record has the name of the question, at offset 12, the type, the class IN and a life of a minute.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data?.length ?? 0, 10);
    const parts = data === null ? [head, question] : [head, question, record, Buffer.from(data)];
    socket.send(Buffer.concat(parts), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

describe('nameResolver', () => {
  it('[WHK-08] returns all addresses of a name', async (t) => {
    const server = await openNameServer(t, (type) =>
      type === A ? [93, 184, 216, 34] : [0x20, 0x01, 0xd, 0xb8, ...Array(11).fill(0), 1],
    );
    const found = await nameResolver({ servers: [server] })('both.example.com');
    assert.deepEqual(found.toSorted(), ['2001:db8::1', '93.184.216.34']);
    const old = await openNameServer(t, (type) => (type === A ? [93, 184, 216, 34] : null));
    assert.deepEqual(await nameResolver({ servers: [old] })('old.example.com'), ['93.184.216.34']);
    const none = await openNameServer(t, () => null);
    await assert.rejects(nameResolver({ servers: [none] })('none.example.invalid'), {
      syscall: 'getaddrinfo',
    });
  });

  it('names whose servers do not answer stop no other name', async (t) => {
    const silent = await openNameServer(t, () => 'nothing');
    const good = await openNameServer(t, (type) => (type === A ? [93, 184, 216, 34] : null));
    let answered = 0;
    const waiting = Array.from({ length: 50 }, (_, i) =>
      nameResolver({ servers: [silent] })(`tenant-${i}.example.com`).catch(() => answered++),
    );
    assert.ok((await lookup('localhost', { all: true })).length > 0);
    assert.deepEqual(await nameResolver({ servers: [good] })('good.example.com'), [
      '93.184.216.34',
    ]);
    assert.equal(answered, 0);
    await Promise.all(waiting);
    assert.equal(answered, 50);
  });

  it('asks the operating system for a name that no name server knows, and not after a timeout', async (t) => {
    const unknown = await openNameServer(t, () => 'unknown');
    const silent = await openNameServer(t, () => 'nothing');
    const half = await openNameServer(t, (type) => (type === A ? 'unknown' : 'nothing'));
    const asked = (server: string) => nameResolver({ servers: [server] })('name.example.invalid');
    await assert.rejects(asked(unknown), { syscall: 'getaddrinfo' });
    // Nothing listens at this port, as on a machine without name servers.
    await assert.rejects(asked('127.0.0.1:9'), { syscall: 'getaddrinfo' });
    await assert.rejects(asked(silent), { code: 'ETIMEOUT', syscall: 'queryA' });
    await assert.rejects(asked(half), { code: 'ETIMEOUT', syscall: 'queryAaaa' });
  });

  it('begins with the addresses that this machine has a route to', async (t) => {
    const both = await openNameServer(t, (type) =>
      type === A ? [93, 184, 216, 34] : [0x20, 0x01, 0xd, 0xb8, ...Array(11).fill(0), 1],
    );
    const found = (isRouted: boolean) =>
      nameResolver({ servers: [both], hasRoute: async () => isRouted })('both.example.com');
    assert.deepEqual(await found(true), ['93.184.216.34', '2001:db8::1']);
    assert.deepEqual(await found(false), ['2001:db8::1', '93.184.216.34']);
    assert.equal(await isRouted('127.0.0.1'), true);
    // The address is of a network of this machine, and does not say of which.
    assert.equal(await isRouted('fe80::1'), false);
  });

  it('leaves names of this machine to the operating system', async () => {
    const found = await nameResolver({ servers: ['127.0.0.1:9'] })('localhost');
    assert.ok(
      found.some((address) => ['127.0.0.1', '::1'].includes(address)),
      found.join(),
    );
  });
});
