/** Reads a file by one reader, which is open and warm, each time that `speed.ts` asks for it. */
import { argv } from 'node:process';
import { READERS, type Reader, type ReaderName } from './readers.ts';

const [, , name, path = ''] = argv;
const reader: Reader = READERS[name as ReaderName];
const read = await (reader.openForSpeed ?? reader.open)();

process.on('message', async () => {
  const began = performance.now();
  await read(path);
  process.send?.(performance.now() - began);
});
process.send?.('open');
