/** These settings say where metrics and the health of a process can be read, and where its traces are sent. */
import { z } from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const SERVICE = 'quarry';
const SAMPLER = 'parentbased_always_on';

/** An empty variable counts as not set, as OpenTelemetry demands. */
const orUnset = (text: string) => text.trim() || undefined;

const collector = (error: string) =>
  z
    .string()
    .transform(orUnset)
    .pipe(z.url({ protocol: /^https?$/, error }).optional())
    .optional();

export const TELEMETRY_SETTINGS = {
  QUARRY_METRICS_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'give a port from 0 to 65535')
    .transform(Number)
    .pipe(z.number().max(65535, 'give a port from 0 to 65535'))
    .optional()
    .describe(
      'Port of /metrics and /health, also in a process without the role api. Without it, nobody can read metrics. It takes no key, so only a monitor should reach it.',
    ),
  QUARRY_METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to which the port of metrics is bound.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector('give an address such as http://localhost:4318').describe(
    'Address of a collector of OpenTelemetry. Traces are sent below it, to /v1/traces, as OTLP over HTTP with JSON. Without an address nothing is traced.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector(
    'give an address such as http://localhost:4318/v1/traces',
  ).describe('Whole address for traces, when they go elsewhere.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .transform(orUnset)
    .pipe(
      z
        .string()
        .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'use the form name=value,name=value')
        .refine((text) => canDecode(text), 'a % must begin an escape such as %20')
        .optional(),
    )
    .optional()
    .describe(
      'Headers for the collector, such as a key: name=value,name=value, with values encoded as in a URL.',
    ),
  OTEL_SERVICE_NAME: z
    .string()
    .default(SERVICE)
    .transform((text) => text.trim() || SERVICE)
    .describe('Name of the service in traces.'),
  OTEL_TRACES_SAMPLER: z
    .string()
    .default(SAMPLER)
    .transform((text) => text.trim() || SAMPLER)
    .pipe(z.enum(SAMPLERS))
    .describe(
      'Which traces are recorded: always_on, always_off, traceidratio, or one of these behind parentbased_, which does as the caller does who sends a trace.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(orUnset)
    .pipe(
      z
        .string()
        .regex(/^(0?\.\d+|0|1|[01]\.\d*)$/, 'give a number from 0 to 1')
        .transform(Number)
        .pipe(z.number().max(1, 'give a number from 0 to 1'))
        .optional(),
    )
    .optional()
    .describe('Share of the traces that traceidratio records, from 0 to 1; all, unless it is set.'),
};

type TelemetryValues = z.infer<z.ZodObject<typeof TELEMETRY_SETTINGS>>;

/** Says where traces are sent, and which ones. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly ratio: number;
}

/** Returns null when no setting names a collector. */
export function tracesOf(values: TelemetryValues): TraceSettings | null {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url =
    values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (!url) return null;
  return {
    url,
    headers: headersIn(values.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    serviceName: values.OTEL_SERVICE_NAME,
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
  };
}

function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
