/**
 * Measures the service on a PostgreSQL that is started for this on a new data directory, with the settings of an
 * installation (in particular `fsync`): the first sync, its commits, and searches over HTTP.
 */
import { join } from 'node:path';
import { startOwnPostgres } from '../packages/server/src/test/postgres-server.ts';
import { secondsOf } from './bookkeeping.ts';
import { showCommits, watchedCommits } from './commits.ts';
import { connectFolder, each, summary } from './folder.ts';
import type { Row } from './latency.ts';
import { startService } from './service.ts';

/** `dir` has a folder `files`. The results do not depend on the other files in it. */
export async function benchOnPostgres(
  dir: string,
  queries: readonly string[],
  row: Row,
): Promise<void> {
  const server = await startOwnPostgres({ isDurable: true });
  const commits = join(dir, 'commits');
  try {
    const service = await startService(join(dir, 'data'), ['--no-sample'], {
      DATABASE_URL: server.url,
      QUARRY_FILES_ROOTS: dir,
      ...watchedCommits(commits),
    });
    try {
      row('start, empty', service.readyAfterMs.toFixed(0));
      await service.call('POST', '/v1/collections', { name: 'Bench', readable_id: 'bench' });
      const connection = await connectFolder(service, 'bench', join(dir, 'files'));
      const first = await service.settled(connection);
      const written = first.sync_metadata.chunks_written;
      row('first sync, chunks', String(written));
      row('first sync, findable chunks/s', (written / secondsOf(first)).toFixed(0));
      await service.call('POST', `/v1/source-connections/${connection}/run`);
      const second = await service.settled(connection);
      row(
        'sync of unchanged files, files/s',
        (second.entities_kept / secondsOf(second)).toFixed(0),
      );
      for (const strategy of ['keyword', 'neural', 'hybrid']) {
        const times = await each(queries, (query) => service.search('bench', query, strategy));
        row(`search over HTTP, ${strategy}, p50 / p95`, summary(times));
      }
      row('resident MB', service.residentMb().toFixed(0));
    } finally {
      await service.stop();
    }
    showCommits(commits, row);
  } finally {
    await server.stop();
  }
}
