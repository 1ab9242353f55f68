import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';

const BASE = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const WHOLE = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const tracesIn = (env: Record<string, string>) => readConfig(env).traces;

describe('the settings of traces', () => {
  it('trace nothing without an address, and an empty variable counts as not set', () => {
    assert.equal(tracesIn({}), null);
    const empty = [BASE, WHOLE, 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER_ARG'];
    assert.equal(tracesIn(Object.fromEntries(empty.map((name) => [name, ' ']))), null);
  });

  it('name the address for traces below the base, or as a whole', () => {
    for (const base of ['http://collector:4318', 'http://collector:4318/'])
      assert.equal(tracesIn({ [BASE]: base })?.url, 'http://collector:4318/v1/traces');
    const both = { [BASE]: 'http://collector:4318', [WHOLE]: 'https://other.example/in' };
    assert.equal(tracesIn(both)?.url, 'https://other.example/in');
  });

  it('have headers whose values are encoded as in a URL, and the defaults of OpenTelemetry', () => {
    const { url: _, ...settings } =
      tracesIn({
        [BASE]: 'http://collector:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YWI%3D, x-tenant=a=b',
        OTEL_SERVICE_NAME: '',
        OTEL_TRACES_SAMPLER: '',
      }) ?? {};
    assert.deepEqual(settings, {
      headers: { authorization: 'Basic YWI=', 'x-tenant': 'a=b' },
      serviceName: 'quarry',
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
  });

  it('are refused with a sentence when they are wrong, which does not repeat the headers', () => {
    const wrong: [string, string, RegExp][] = [
      [BASE, 'collector:4318', /^OTEL_EXPORTER_OTLP_ENDPOINT: give an address such as http/],
      [WHOLE, 'ftp://collector', /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: give an address such as/],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', /^OTEL_EXPORTER_OTLP_HEADERS: use the form name=/],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%', /: a % must begin an escape such as %20$/],
      ['OTEL_TRACES_SAMPLER', 'xray', /^OTEL_TRACES_SAMPLER: .*parentbased_traceidratio/],
      ['OTEL_TRACES_SAMPLER_ARG', '1.5', /^OTEL_TRACES_SAMPLER_ARG: give a number from 0 to 1$/],
      ['OTEL_TRACES_SAMPLER_ARG', 'half', /^OTEL_TRACES_SAMPLER_ARG: give a number from 0 to 1$/],
    ];
    for (const [name, value, message] of wrong)
      assert.throws(
        () => readConfig({ [name]: value }),
        ({ message: said }: Error) => message.test(said) && !said.includes('secret'),
        `${name}=${value}`,
      );
    assert.equal(tracesIn({ [BASE]: 'http://c', OTEL_TRACES_SAMPLER_ARG: '.25' })?.ratio, 0.25);
  });
});
