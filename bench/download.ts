/**
 * `npm run bench:download [-- --files 3 --warm 30]` measures how much memory a connector takes for a file of 100 MB that it
 * downloads: the resident memory of this process before and while `http.file` of the kit writes the file to disk. The
 * service that sends the files is a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { openDownloads } from '../packages/server/src/sources/downloads.ts';
import { openHttp } from '../packages/server/src/sources/kit/http.ts';
import { createSourceEnvironment } from '../packages/server/src/sources/source-environment.ts';
import { answerHelp } from '../scripts/help.ts';

const MB = 2 ** 20;
/** No file that is read is larger. */
const MEGABYTES = 100;
const LOOK_MS = 10;

answerHelp(import.meta.filename);

if (process.send) serve(process.send.bind(process));
else await measure();

/** Sends as many megabytes as the path names. */
function serve(tell: (port: number) => void): void {
  const server = createServer(async (request, response) => {
    const megabytes = Number(request.url?.slice(1));
    const pieces = function* () {
      for (let i = 0; i < megabytes; i++) yield Buffer.alloc(MB, i);
    };
    await pipeline(Readable.from(pieces()), response);
  });
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port));
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { files: { type: 'string', default: '3' }, warm: { type: 'string', default: '30' } },
  });
  const service = fork(import.meta.filename);
  const folder = mkdtempSync(join(tmpdir(), 'quarry-bench-'));
  try {
    const [port] = await once(service, 'message');
    await download(`http://127.0.0.1:${port}`, folder, {
      files: Number(values.files),
      warm: Number(values.warm),
    });
  } finally {
    service.kill();
    rmSync(folder, { recursive: true });
  }
}

interface Amounts {
  readonly files: number;
  /** So many files of 1 MB come first, which load the code and let V8 compile it. */
  readonly warm: number;
}

async function download(baseUrl: string, folder: string, { files, warm }: Amounts): Promise<void> {
  const environment = createSourceEnvironment({
    singleUser: true,
    QUARRY_DATA_DIR: folder,
    QUARRY_SOURCE_NETWORKS: [],
    QUARRY_FILES_ROOTS: [],
    QUARRY_ALLOW_LOOPBACK: true,
  });
  const http = openHttp(
    {
      ...environment,
      downloads: openDownloads(environment.downloadsFolder),
      authorizer: { sign: async ({ url }) => ({ url, headers: {}, stamp: null }) },
      signal: new AbortController().signal,
      meter: { requests: 0, bytes: 0 },
    },
    { baseUrl },
  );
  const get = (size: number) => http.file({ path: String(size) }, { name: 'report.pdf' });
  for (let i = 0; i < warm; i++) await get(1);
  for (let i = 1; i <= files; i++) {
    const before = process.memoryUsage.rss();
    let peak = before;
    const look = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, LOOK_MS);
    const { size } = await get(MEGABYTES);
    clearInterval(look);
    const added = (Math.max(peak, process.memoryUsage.rss()) - before) / MB;
    console.log(
      `file ${i} of ${(size / MB).toFixed(0)} MB: ${added.toFixed(1)} MB more memory at its peak (${(before / MB).toFixed(0)} MB before)`,
    );
  }
}
