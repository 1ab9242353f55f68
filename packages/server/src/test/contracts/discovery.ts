/** Reads discovery documents of Google (https://developers.google.com/discovery/v1/reference/apis). */
import type { DigestContents, DigestOperation, DigestParameter, DigestWish } from './digest.ts';
import { type JsonObject, schemaReader } from './json-schema.ts';

/** Throws an Error when the document lacks an operation. */
export function fromDiscovery(document: JsonObject, wish: DigestWish): DigestContents {
  const schemas = document.schemas as JsonObject;
  const reader = schemaReader({
    keeps: wish.keeps,
    derived: wish.derived,
    find: (name) => ({ name, schema: schemas[name] ?? {} }),
  });
  const methods = new Map(
    [...methodsIn(document)].map((method) => [
      `${method.httpMethod} /${document.servicePath ?? ''}${method.flatPath ?? method.path}`,
      method,
    ]),
  );

  function parameterOf([name, given]: [string, JsonObject]): DigestParameter {
    const { location, required, repeated, pattern: _, ...schema } = given;
    const read = reader.read(schema);
    return {
      in: location as DigestParameter['in'],
      name,
      ...(required === true && { required: true }),
      schema: repeated === true ? { type: 'array', items: read } : read,
    };
  }

  function operationOf(key: string): DigestOperation {
    const method = methods.get(key);
    if (!method) throw new Error(`the document has no operation ${key}`);
    const { parameters = {}, request, response } = method as Record<string, JsonObject>;
    const own = { ...(document.parameters as JsonObject), ...parameters };
    return {
      parameters: Object.entries(own as Record<string, JsonObject>).map(parameterOf),
      ...(request && { body: { content: { 'application/json': reader.read(request) } } }),
      answers: { 200: response ? { 'application/json': reader.read(response) } : {} },
    };
  }

  const operations = Object.fromEntries(wish.operations.map((key) => [key, operationOf(key)]));
  return {
    version: `${document.version} of ${document.revision}`,
    operations,
    schemas: reader.schemas,
  };
}

function* methodsIn(resource: JsonObject): Generator<JsonObject> {
  yield* Object.values((resource.methods ?? {}) as Record<string, JsonObject>);
  for (const inner of Object.values((resource.resources ?? {}) as Record<string, JsonObject>))
    yield* methodsIn(inner);
}
