/**
 * Prints an OpenAPI document of a client that has zod schemas of its requests and answers, as `jira.js` and
 * `confluence.js` do. `node zod-document.ts <folder> <version> [<schema of errors>]` takes the folder that has `api`,
 * `models` and `parameters`. Each operation of the client is asked with the names of its parameters instead of values,
 * so the request that it would send shows where each parameter stands. Operations that send files cannot be asked so,
 * and are left out. With AUDIT_SCHEMAS=true, the schemas of these clients list the values of enumerations.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly searchParams?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Readonly<Record<string, string | undefined>>;
  readonly schema?: z.ZodType;
}
interface Found extends Sent {
  readonly input: z.ZodType | undefined;
}
type Ask = (client: object, parameters: object) => Promise<void>;
/** The schema of an object, as zod writes it. */
interface Fields {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

const [folder = '', version = '', errors] = process.argv.slice(2);
const load = async <T>(name: string): Promise<[string, T][]> =>
  Object.entries(await import(pathToFileURL(join(folder, name, 'index.js')).href));
const registry = z.registry<{ id: string }>();
/** A schema with two names keeps the first. */
function add(schema: z.ZodType, id: string): void {
  if ('_zod' in schema && !registry.has(schema)) registry.add(schema, { id });
}
for (const [name, schema] of await load<z.ZodType>('models'))
  add(schema, name.replace(/Schema$/, ''));
const inputs = new Map(await load<z.ZodType>('parameters'));
for (const [name, schema] of inputs) add(schema, `=${name}`);

const found: Found[] = [];
for (const [name, ask] of await load<Ask>('api')) {
  const input = inputs.get(`${name[0]?.toUpperCase()}${name.slice(1)}Schema`);
  const sendRequest = (sent: Sent) => {
    if (sent.schema) add(sent.schema, `=${name} answer`);
    found.push({ ...sent, input });
  };
  const names = new Proxy({}, { get: (_, key) => `{${String(key)}}` });
  // The client cannot make its result without an answer. What it asked for has been noted by then.
  await ask({ sendRequest }, names).catch(() => undefined);
}

const { schemas: made } = z.toJSONSchema(registry, {
  io: 'input',
  unrepresentable: 'any',
  uri: (id) => `#/components/schemas/${id}`,
  override({ zodSchema, jsonSchema }) {
    // The contract closes the objects whose fields are listed.
    if ('properties' in jsonSchema) delete jsonSchema.additionalProperties;
    // A time is a text, from which the client makes an object.
    if (zodSchema._zod.def.type === 'date') jsonSchema.type = 'string';
  },
});
const schemas = Object.fromEntries(
  Object.entries(made).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
);
const own = (id: string) => id.startsWith('=');
const schemaOf = (schema: z.ZodType): object => {
  const { id = '' } = registry.get(schema) ?? {};
  return own(id) ? (schemas[id] ?? {}) : { $ref: `#/components/schemas/${id}` };
};

const nameIn = (text = '') => /^\{(.*)\}$/.exec(text)?.[1] ?? '';
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

function operationOf({ url, searchParams = {}, body, schema, input }: Found) {
  const { properties = {}, required = [] } = (input ? schemaOf(input) : {}) as Fields;
  const parameter = (place: string, name: string, key: string) => ({
    in: place,
    name,
    ...(required.includes(key) && { required: true }),
    schema: properties[key] ?? {},
  });
  const fields = typeof body === 'object' ? Object.entries(body) : [];
  const bodySchema =
    typeof body === 'string'
      ? properties[nameIn(body)]
      : {
          type: 'object',
          properties: Object.fromEntries(
            fields.map(([name, text]) => [name, properties[nameIn(text)] ?? {}]),
          ),
          required: fields.flatMap(([name, text]) => (required.includes(nameIn(text)) ? name : [])),
        };
  const isFile = schema?._zod.def.type === 'custom';
  return {
    parameters: [
      ...[...url.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter('path', name, name)),
      ...Object.entries(searchParams).map(([name, text]) => parameter('query', name, nameIn(text))),
    ],
    ...(bodySchema && body && { requestBody: { required: true, ...json(bodySchema) } }),
    responses: {
      200: isFile
        ? { content: { 'application/octet-stream': {} } }
        : schema
          ? json(schemaOf(schema))
          : {},
      ...(errors && { '4XX': json({ $ref: `#/components/schemas/${errors}` }) }),
    },
  };
}

const paths: Record<string, Record<string, object>> = {};
for (const one of found) {
  const method = one.method.toLowerCase();
  paths[one.url] = { [method]: operationOf(one), ...paths[one.url] };
}
process.stdout.write(
  JSON.stringify({
    openapi: '3.1.0',
    info: { version },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).filter(([id]) => !own(id))),
    },
  }),
);
