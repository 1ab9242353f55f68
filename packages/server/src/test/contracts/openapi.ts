/** Reads OpenAPI 3.x and Swagger 2 documents. */
import type {
  DigestBody,
  DigestContents,
  DigestOperation,
  DigestParameter,
  DigestWish,
} from './digest.ts';
import { type Json, type JsonObject, type JsonSchema, schemaReader } from './json-schema.ts';

/** OpenAPI says that these headers are described elsewhere in the document. */
const OTHER_HEADERS = ['accept', 'content-type', 'authorization'];
/** In Swagger 2, a parameter holds the keywords of its schema itself. */
const OF_PARAMETER = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue'];
const SEPARATORS: Readonly<Record<string, string>> = {
  csv: ',',
  ssv: ' ',
  pipes: '|',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** Throws an Error when the document lacks an operation, or says something that a digest cannot hold. */
export function fromOpenApi(document: JsonObject, wish: DigestWish): DigestContents {
  const isSwagger = 'swagger' in document;
  const reader = schemaReader({
    keeps: wish.keeps,
    derived: wish.derived,
    find: (reference) => ({
      name: reference.split('/').at(-1)!.replaceAll('~1', '/'),
      schema: at(reference),
    }),
  });

  function at(reference: string): Json {
    const keys = reference
      .replace(/^#\//, '')
      .split('/')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
    return keys.reduce<Json>((value, key) => {
      const inner = (value as JsonObject)[key];
      if (inner === undefined) throw new Error(`the document has no ${reference}`);
      return inner;
    }, document);
  }
  const resolved = (value: Json): JsonObject => {
    const { $ref } = value as JsonObject;
    return typeof $ref === 'string' ? (at($ref) as JsonObject) : (value as JsonObject);
  };

  function parameterOf(given: JsonObject, where: string): DigestParameter {
    const { name, in: place, required, style, explode, collectionFormat, schema } = given;
    if (style === 'deepObject' || 'content' in given)
      throw new Error(`${where}: a digest cannot hold the form of the parameter ${name}`);
    const own = isSwagger
      ? Object.fromEntries(Object.entries(given).filter(([key]) => !OF_PARAMETER.includes(key)))
      : (schema ?? {});
    const isList = reader.read(own).type === 'array';
    const format = isSwagger
      ? (collectionFormat ?? 'csv')
      : explode === false || place !== 'query'
        ? (style ?? 'csv')
        : 'multi';
    return {
      in: place as DigestParameter['in'],
      name: name as string,
      ...((required === true || place === 'path') && { required: true }),
      ...(isList && format !== 'multi' && { separator: SEPARATORS[format as string] ?? ',' }),
      schema: reader.read(own),
    };
  }

  const contentOf = (content: Json | undefined): DigestBody =>
    Object.fromEntries(
      Object.entries((content ?? {}) as JsonObject).map(([type, value]) => {
        const { schema } = value as JsonObject;
        return [type, schema === undefined ? null : reader.read(schema)];
      }),
    );

  function bodyOf(operation: JsonObject, all: readonly JsonObject[]): DigestOperation['body'] {
    if (!isSwagger) {
      if (!operation.requestBody) return undefined;
      const { required, content } = resolved(operation.requestBody);
      return { ...(required === true && { required }), content: contentOf(content) };
    }
    const [body] = all.filter((one) => one.in === 'body');
    const types = (operation.consumes ?? document.consumes ?? ['application/json']) as string[];
    const fields = all.filter((one) => one.in === 'formData');
    if (body) {
      const schema = reader.read(body.schema ?? {});
      const content = Object.fromEntries(types.map((type) => [type, schema]));
      return { ...(body.required === true && { required: true }), content };
    }
    if (fields.length === 0) return undefined;
    const read = fields.map((field) => parameterOf(field, 'a form'));
    const schema: JsonSchema = {
      type: 'object',
      properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
      required: read.filter(({ required }) => required).map(({ name }) => name),
    };
    return { content: Object.fromEntries(types.map((type) => [type, schema])) };
  }

  function answerOf(operation: JsonObject, answer: JsonObject): DigestBody {
    if (!isSwagger) return contentOf(answer.content);
    if (answer.schema === undefined) return {};
    const types = (operation.produces ?? document.produces ?? ['application/json']) as string[];
    const schema = reader.read(answer.schema);
    return Object.fromEntries(types.map((type) => [type, schema]));
  }

  const base = basePathOf(document);
  const paths = document.paths as JsonObject;
  function operationOf(key: string): DigestOperation {
    const [method = '', path = ''] = key.split(' ');
    const item = paths[path.slice(base.length)] as JsonObject | undefined;
    const operation = item?.[method.toLowerCase()] as JsonObject | undefined;
    if (!item || !operation || !path.startsWith(base))
      throw new Error(`the document has no operation ${key}`);
    // A parameter of the operation takes the place of one of the path that has its name.
    const named = new Map<string, JsonObject>();
    for (const one of [item.parameters, operation.parameters].flat()) {
      if (!one) continue;
      const given = resolved(one);
      named.set(`${given.in} ${given.name}`, given);
    }
    const all = [...named.values()];
    const body = bodyOf(operation, all);
    return {
      parameters: all
        .filter(
          ({ in: place, name }) =>
            place === 'path' ||
            place === 'query' ||
            (place === 'header' && !OTHER_HEADERS.includes(String(name).toLowerCase())),
        )
        .map((given) => parameterOf(given, key)),
      ...(body && { body }),
      answers: Object.fromEntries(
        Object.entries(operation.responses as JsonObject).map(([status, answer]) => [
          status,
          answerOf(operation, resolved(answer)),
        ]),
      ),
    };
  }

  const operations = Object.fromEntries(wish.operations.map((key) => [key, operationOf(key)]));
  for (const name of wish.schemas ?? []) reader.read({ $ref: `#/components/schemas/${name}` });
  const { version } = document.info as JsonObject;
  return { version: String(version), operations, schemas: reader.schemas };
}

/** Returns the path of the service's address, without a slash at its end. */
function basePathOf({ basePath, servers }: JsonObject): string {
  const [server] = (servers ?? []) as JsonObject[];
  const path = basePath ?? (server ? new URL(String(server.url), 'https://a').pathname : '');
  return String(path).replace(/\/$/, '');
}
