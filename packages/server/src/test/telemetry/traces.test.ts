/** A whole Quarry in this process sends its traces to a collector, which the tests read as a tree. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { nameOf } from '../../providers.ts';
import { must } from '../../util.ts';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { KEY, type ModelServer, startModelServer } from '../models/server.ts';
import { type Cloud, cloudNotes, liveNotes, openCloud, settingsOf } from '../rate-limits/cloud.ts';
import { PLAIN } from '../search/plain.ts';
import { until } from '../until.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { type Collector, openCollector, treeOf } from './collector.ts';

/** The caller of each test has a trace of its own. */
const CALLER_SPAN = '00f067aa0ba902b7';
const traceOf = (digit: string) => digit.repeat(32);
const headersOf = (digit: string, flags = '01') => ({
  traceparent: `00-${traceOf(digit)}-${CALLER_SPAN}-${flags}`,
  tracestate: 'vendor=a',
  'x-request-id': `request-${digit}`,
});

for (const database of DATABASES)
  describe(`traces (${database.name})`, () => {
    let quarry: TestQuarry;
    let collector: Collector;
    let cloud: Cloud;
    let models: ModelServer;
    let receiver: Receiver;
    const lines: Record<string, unknown>[] = [];

    before(async () => {
      collector = await openCollector();
      receiver = await startReceiver();
      cloud = await openCloud({ notes: 12, perPage: 5 });
      models = await startModelServer(() => ({ says: { variations: ['planted other words'] } }));
      quarry = await openTestQuarry(await database.open(), {
        sources: new Map([
          ['cloud', cloudNotes()],
          ['live_cloud', liveNotes()],
        ]),
        log: pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) }),
        env: {
          QUARRY_ALLOW_LOOPBACK: 'true',
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20key,x-other=2',
          OTEL_SERVICE_NAME: 'quarry-of-tests',
          QUARRY_LLM: models.named('anthropic'),
          ANTHROPIC_API_KEY: KEY,
        },
      });
    });
    after(async () => {
      await quarry.close();
      await collector.close();
      await cloud.close();
      await models.close();
      await receiver.close();
    });

    const connect = async (short_name: string, collection: string): Promise<string> => {
      await quarry.ok('POST', '/v1/collections', { name: 'Notes', readable_id: collection });
      const made = await quarry.ok('POST', '/v1/source-connections', {
        ...{ short_name, readable_collection_id: collection, name: 'Notes' },
        ...(short_name === 'live_cloud' ? {} : { sync_immediately: false }),
        ...settingsOf(cloud),
      });
      return made.id;
    };

    it('a request goes on with the trace of its caller, and has its route, status and request id', async () => {
      const url = '/v1/collections/absent';
      const answer = await quarry.call('GET', url, undefined, headersOf('1'));
      assert.equal(answer.status, 404);
      const span = await collector.span('GET /v1/collections/:readable_id');
      assert.deepEqual(
        [span.traceId, span.parentSpanId, span.kind, span.failed, span.service],
        [traceOf('1'), CALLER_SPAN, 'server', false, 'quarry-of-tests'],
      );
      const { 'quarry.organization_id': organization, ...facts } = span.facts;
      assert.match(String(organization), /^[0-9a-f-]{36}$/);
      assert.deepEqual(facts, {
        'http.request.method': 'GET',
        'http.route': '/v1/collections/:readable_id',
        'http.response.status_code': 404,
        'quarry.request_id': 'request-1',
      });
      const [arrival] = collector.arrivals;
      assert.deepEqual(
        [arrival?.url, arrival?.headers['x-tenant'], arrival?.headers['x-other']],
        ['/v1/traces', 'a key', '2'],
      );
    });

    it('a sync is one trace: the request, its job, the requests to the source and the commits', async () => {
      const id = await connect('cloud', 'notes');
      await quarry.ok('POST', `/v1/source-connections/${id}/run`, undefined, headersOf('2'));
      await quarry.settled(id);
      await collector.span('sync.run');
      const request = await collector.span('POST /v1/source-connections/:id/run');
      const spans = collector.ofTrace(traceOf('2'));
      // The number of commits depends on the time that they take.
      assert.deepEqual(
        [...new Set(treeOf(spans, CALLER_SPAN))],
        [
          'POST /v1/source-connections/:id/run (server)',
          '  sync.run (consumer)',
          '    GET (client)',
          '    commit (internal)',
        ],
      );
      const job = must(spans.find(({ name }) => name === 'sync.run'));
      const organization = request.facts['quarry.organization_id'];
      assert.deepEqual(
        [
          job.facts['quarry.connection_id'],
          job.facts['quarry.organization_id'],
          job.facts['quarry.sync.state'],
          job.facts['quarry.job.outcome'],
        ],
        [id, organization, 'COMPLETED', 'done'],
      );
      const [get, ...others] = spans.filter(({ name }) => name === 'GET');
      assert.equal(others.length, 2, 'the listing has three pages');
      assert.deepEqual(must(get).facts, {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'quarry.source': 'cloud',
        'server.address': '127.0.0.1',
      });
      const commits = spans.filter(({ name }) => name === 'commit');
      assert.equal(
        commits.reduce((sum, { facts }) => sum + Number(facts['quarry.commit.records'] ?? 0), 0),
        12,
      );
      const line = must(
        lines.find(({ msg, connection }) => msg === 'a job is done' && connection === id),
      );
      assert.deepEqual([line.reqId, line.trace_id], ['request-2', traceOf('2')]);
    });

    it('a service of others is not told the trace', () => {
      assert.ok(cloud.arrivals.length > 0);
      assert.deepEqual(
        cloud.arrivals.filter(({ headers }) => 'traceparent' in headers || 'tracestate' in headers),
        [],
      );
    });

    it('a search has its stages, and those of live sources the requests to them', async () => {
      await connect('live_cloud', 'live');
      const found = await quarry.call(
        'POST',
        '/v1/collections/live/search',
        { ...PLAIN, query: 'planted query about harbours' },
        headersOf('3'),
      );
      assert.equal(found.status, 200);
      await collector.span('POST /v1/collections/:readable_id/search');
      await collector.span('search');
      assert.deepEqual(treeOf(collector.ofTrace(traceOf('3')), CALLER_SPAN), [
        'POST /v1/collections/:readable_id/search (server)',
        '  search (internal)',
        '    candidates (internal)',
        '    embed (internal)',
        '    embed (internal)',
        '    live_sources (internal)',
        '      GET (client)',
        '    rows (internal)',
        '    snapshot (internal)',
      ]);
    });

    it('a question to a language model has its model and its tokens, and not its texts', async () => {
      const found = await quarry.call(
        'POST',
        '/v1/collections/notes/search',
        { ...PLAIN, query: 'planted query about harbours', expand_query: true },
        headersOf('9'),
      );
      assert.equal(found.status, 200);
      await collector.span('POST /v1/collections/:readable_id/search');
      const model = nameOf(models.remote('anthropic'));
      const span = await collector.span(`chat ${model}`);
      const search = must(
        collector.ofTrace(traceOf('9')).find(({ spanId }) => spanId === span.parentSpanId),
      );
      assert.deepEqual([search.name, span.kind, span.failed], ['search', 'client', false]);
      const { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output } =
        span.facts;
      assert.ok(Number(input) > 0 && Number(output) > 0, JSON.stringify(span.facts));
      assert.deepEqual(span.facts, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.response.model': model,
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
        'quarry.model.calls': 1,
        'quarry.purpose': 'expand',
      });
    });

    it('the receiver of a webhook is told the trace of the attempt', async () => {
      await quarry.ok('POST', '/v1/webhooks/subscriptions', {
        url: `${receiver.url}/planted-path?planted=1`,
        event_types: ['collection.created'],
      });
      const owls = { name: 'Owls', readable_id: 'owls' };
      await quarry.ok('POST', '/v1/collections', owls, headersOf('8'));
      const { headers } = await until(() => receiver.received[0]);
      await collector.span('webhook.deliver');
      await until(() => collector.ofTrace(traceOf('8')).length === 3);
      const spans = collector.ofTrace(traceOf('8'));
      assert.deepEqual(treeOf(spans, CALLER_SPAN), [
        'POST /v1/collections (server)',
        '  webhook.deliver (consumer)',
        '    POST (client)',
      ]);
      const post = must(spans.find(({ kind }) => kind === 'client'));
      assert.equal(headers.traceparent, `00-${traceOf('8')}-${post.spanId}-01`);
      assert.equal(headers.tracestate, 'vendor=a');
    });

    it('what a tool does belongs to the request to the tool server', async () => {
      const answer = await quarry.call(
        'POST',
        '/mcp',
        {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: {
            ...{ name: 'search-notes', arguments: { query: 'planted query about harbours' } },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
        {
          ...headersOf('6'),
          ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
          ...{ 'mcp-name': 'search-notes', 'x-collection-readable-id': 'notes' },
          accept: 'application/json, text/event-stream',
        },
      );
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await collector.span('POST /mcp');
      const tree = treeOf(collector.ofTrace(traceOf('6')), CALLER_SPAN);
      assert.deepEqual(
        tree.filter((line) => /\/|search/.test(line) && !line.includes('chat ')),
        [
          'POST /mcp (server)',
          '  POST /v1/collections/:readable_id/search (server)',
          '    search (internal)',
        ],
      );
      const inner = collector
        .ofTrace(traceOf('6'))
        .filter(({ facts }) => facts['quarry.request_id'] === 'request-6');
      assert.ok(inner.length >= 2);
    });

    it('no span has a query, a key, a cookie, an address or a text', async () => {
      const wholeText = collector.text();
      for (const secret of [quarry.key, 'planted', 'cloud-token', 'harbours', '/notes', '?'])
        assert.ok(!wholeText.includes(secret), secret);
    });
  });

describe('without a collector', () => {
  it('the lines of a job have the id of the request that caused it, and nobody is told a trace', async () => {
    const lines: Record<string, unknown>[] = [];
    const receiver = await startReceiver();
    const sqlite = must(DATABASES.find(({ name }) => name === 'sqlite'));
    const quarry = await openTestQuarry(await sqlite.open(), {
      log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
      env: { QUARRY_ALLOW_LOOPBACK: 'true' },
    });
    try {
      await quarry.ok('POST', '/v1/webhooks/subscriptions', {
        ...{ url: receiver.url, event_types: ['collection.created'] },
      });
      await quarry.ok('POST', '/v1/collections', { name: 'Birds', readable_id: 'birds' });
      const { id } = await quarry.ok('POST', '/v1/source-connections', {
        ...{ short_name: 'push', readable_collection_id: 'birds', name: 'Notes' },
      });
      const push = { entities: [{ entity_id: 'heron', name: 'Heron', text: 'A heron waits.' }] };
      await quarry.ok('POST', `/v1/source-connections/${id}/entities`, push, headersOf('7'));
      await quarry.settled(id);
      const line = await until(() => lines.find(({ msg }) => msg === 'a job is done'));
      assert.deepEqual([line.reqId, line.trace_id], ['request-7', undefined]);
      const { headers } = await until(() => receiver.received[0]);
      assert.equal(headers.traceparent, undefined);
    } finally {
      await quarry.close();
      await receiver.close();
    }
  });
});
