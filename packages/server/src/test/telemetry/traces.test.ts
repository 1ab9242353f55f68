/** A whole Quarry in this process sends its traces to a collector, which the tests read as a tree. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestQuarry, type TestQuarry } from '../app/quarry.ts';
import { DATABASES } from '../databases.ts';
import { type Collector, openCollector } from './collector.ts';

const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };
const traceparent = `00-${CALLER.trace}-${CALLER.span}-01`;

for (const database of DATABASES)
  describe(`traces (${database.name})`, () => {
    let quarry: TestQuarry;
    let collector: Collector;

    before(async () => {
      collector = await openCollector();
      quarry = await openTestQuarry(await database.open(), {
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
          OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20key,x-other=2',
          OTEL_SERVICE_NAME: 'quarry-of-tests',
        },
      });
    });
    after(async () => {
      await quarry.close();
      await collector.close();
    });

    it('a request goes on with the trace of its caller, and has its route, status and request id', async () => {
      const answer = await quarry.call('GET', '/v1/collections/absent', undefined, {
        traceparent,
        'x-request-id': 'request-1',
      });
      assert.equal(answer.status, 404);
      const span = await collector.span('GET /v1/collections/:readable_id');
      assert.deepEqual(
        [span.traceId, span.parentSpanId, span.kind, span.failed, span.service],
        [CALLER.trace, CALLER.span, 'server', false, 'quarry-of-tests'],
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
  });
