/**
 * Lists answers that a limited process for documents must not give. They are encoded as for sending: the length, then
 * JSON.
 */
const sent = (json: string, length = Buffer.byteLength(json)): Buffer => {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(json));
  bytes.writeUInt32BE(length);
  bytes.write(json, 4);
  return bytes;
};

export const FORGED: readonly Buffer[] = [
  sent('no JSON'),
  sent('{}', 2 ** 31),
  ...[
    7,
    [],
    {},
    { rss: 1 },
    { rss: 'much', is: 'text', text: 'forged' },
    { is: 'text', text: 'forged' },
    { rss: 1, is: 'prose', text: 'forged' },
    { rss: 1, is: 'text', text: 7 },
    { rss: 1, is: 'text', text: 'forged', pages: ['one'] },
    { rss: 1, is: 'text', text: 'forged', pages: [-1] },
    { rss: 1, is: 'skip' },
    { rss: 1, is: 'skip', omission: { reason: 7 } },
    { rss: 1, is: 'skip', omission: { reason: 'forged', hint: {} } },
    { rss: 1, is: 'broken', reason: null, hint: null },
    { rss: 1, is: 'broken', reason: 'forged', hint: 7 },
  ].map((answer) => sent(JSON.stringify(answer))),
];
