/**
 * Two processes on one database, one with the API and one that works, send one trace: from the request, over the queue and
 * the threads, to the requests to the source and the commits.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { must } from '../../util.ts';
import { DATABASES, type TestDatabase } from '../databases.ts';
import { type LinearCompany, openLinearCompany } from '../sources/linear-company.ts';
import { LINEAR_KEY } from '../sources/linear-peer.ts';
import { type Collector, openCollector, treeOf } from '../telemetry/collector.ts';
import { until } from '../until.ts';
import { launch, type Server, startServer, TEST_KEY, tempDir, untilSynced } from './process.ts';

const TRACE = 'c'.repeat(32);
const SPAN = '00f067aa0ba902b7';
const QUERY = 'planted words of a query';
const REQUEST = 'request-of-the-test';

describe('the trace of two processes', () => {
  const postgres = must(DATABASES.find(({ name }) => name === 'postgres'));
  let test: TestDatabase;
  let dir: ReturnType<typeof tempDir>;
  let company: LinearCompany;
  let collector: Collector;
  let api: Server;
  let worker: ReturnType<typeof launch>;
  let env: Record<string, string>;
  before(async () => {
    test = await postgres.open();
    dir = tempDir();
    company = await openLinearCompany();
    collector = await openCollector();
    const sources = join(dir.path, 'sources.json');
    writeFileSync(sources, JSON.stringify({ linear: { base_url: company.peer.baseUrl } }));
    const headers = join(dir.path, 'headers');
    writeFileSync(headers, 'x-key=planted-key\n');
    env = {
      QUARRY_API_KEY: TEST_KEY,
      QUARRY_ENCRYPTION_KEY: 'the encryption key of two processes',
      QUARRY_ALLOW_LOOPBACK: 'true',
      QUARRY_SOURCES_FILE: sources,
      DATABASE_URL: must(test.url),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: headers,
    };
    api = await startServer(join(dir.path, 'api'), { env: { ...env, QUARRY_ROLES: 'api' } });
    worker = launch(['start', '--data-dir', join(dir.path, 'worker')], {
      ...env,
      QUARRY_ROLES: 'worker',
    });
  });
  after(async () => {
    await api.kill();
    worker.child.kill('SIGKILL');
    await worker.exited;
    await company.peer.close();
    await collector.close();
    await test.close();
    dir.remove();
  });

  const ask = (path: string, body: unknown) =>
    fetch(`${api.address}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TEST_KEY}`,
        cookie: 'session=planted-cookie',
        'content-type': 'application/json',
        traceparent: `00-${TRACE}-${SPAN}-01`,
        'x-request-id': REQUEST,
      },
      body: JSON.stringify(body),
    });

  it('has the request, the job, the requests to the source, the commits, and the search with its stages', async () => {
    await api.call('POST', '/v1/collections', { name: 'Company', readable_id: 'company' });
    const made = await ask('/v1/source-connections', {
      name: 'The company',
      short_name: 'linear',
      readable_collection_id: 'company',
      authentication: { credentials: company.credentials },
    });
    const { id } = (await made.json()) as { id: string };
    assert.equal((await untilSynced(api, id)).status, 'COMPLETED');
    const found = await ask('/v1/collections/company/search', { query: QUERY });
    assert.equal(found.status, 200);
    await collector.span('search');
    await collector.span('sync.run');
    await collector.span('POST /v1/collections/:readable_id/search');
    const spans = collector.ofTrace(TRACE);
    assert.deepEqual(
      [...new Set(treeOf(spans, SPAN))],
      [
        'POST /v1/collections/:readable_id/search (server)',
        '  search (internal)',
        '    candidates (internal)',
        '    embed (internal)',
        '    live_sources (internal)',
        '    rows (internal)',
        '    snapshot (internal)',
        'POST /v1/source-connections (server)',
        // The request asks whether the source accepts the credentials, before the job exists.
        '  POST (client)',
        '  sync.run (consumer)',
        '    POST (client)',
        '    commit (internal)',
      ],
    );
    for (const { headers } of collector.arrivals) assert.equal(headers['x-key'], 'planted-key');
    const told = company.peer.requests.filter(({ headers }) => headers.traceparent !== undefined);
    assert.deepEqual(told, []);
  });

  it('has no key, cookie, query or text of a record', () => {
    const sent = collector.text();
    const planted = [TEST_KEY, LINEAR_KEY, 'planted', QUERY, ...company.world.words.values()];
    assert.ok(planted.length > 5);
    for (const text of planted) assert.ok(!sent.includes(String(text)), String(text));
  });

  it('is named in the line of the job, with the id of the request', async () => {
    const line = await until(() =>
      worker.output.stderr.split('\n').find((text) => text.includes('"a job is done"')),
    );
    const { reqId, trace_id } = JSON.parse(line);
    assert.deepEqual([reqId, trace_id], [REQUEST, TRACE]);
  });

  it('ends with what was not sent yet when the processes stop', async () => {
    const before = collector.spans.length;
    await api.call('GET', '/v1/collections/company');
    assert.equal((await api.stop()).code, 0);
    const late = collector.spans.slice(before).map(({ name }) => name);
    assert.ok(late.includes('GET /v1/collections/:readable_id'), late.join());
  });
});
