/** Completes the operations of the document: their headers, their errors, and an example of each body and answer. */
import { type ExampleSchema, exampleFor } from './openapi-examples.ts';
import {
  givenHeaders,
  headerComponents,
  type RouteHeader,
  takenHeaders,
} from './openapi-headers.ts';

/** `openapi` gives each operation these extensions, which do not stay in the document. */
export const HEADERS = 'x-headers';
export const FORM = 'x-form';

interface Media {
  readonly schema: ExampleSchema;
  readonly example?: unknown;
}

interface DocumentedAnswer {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: ExampleSchema;
}

interface DocumentedOperation {
  readonly [HEADERS]?: readonly RouteHeader[];
  /** The body may also be a form with these parts. */
  readonly [FORM]?: ExampleSchema;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: DocumentedAnswer;
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

interface DocumentedApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, ExampleSchema>>;
    readonly responses?: object;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

export function completeOperations<Document>(document: Document): Document {
  const { paths, components, ...rest } = document as Document & DocumentedApi;
  const { schemas } = components;

  const withExample = (media: Media): Media => ({
    ...media,
    example: media.example ?? exampleFor({ schema: media.schema, schemas }),
  });
  const withExamples = <Part extends DocumentedAnswer>(part: Part): Part =>
    part.content === undefined
      ? part
      : {
          ...part,
          content: mapValues(part.content, withExample),
        };

  function complete(
    {
      [HEADERS]: names = [],
      [FORM]: form,
      parameters = [],
      requestBody,
      responses,
      ...operation
    }: DocumentedOperation,
    method: string,
  ) {
    const media = responses['200']?.content?.['application/json'];
    const isList = method === 'get' && media?.schema.type === 'array';
    const given = givenHeaders([...names, ...(isList ? (['X-Total-Count'] as const) : [])]);
    const answers = mapValues(responses, (response, status) =>
      status in ERRORS
        ? { $ref: `#/components/responses/${ERRORS[status]}` }
        : { ...withExamples(response), headers: given },
    );
    return {
      ...operation,
      parameters: [...parameters, ...takenHeaders(names)],
      ...(requestBody && { requestBody: withExamples(withForm(requestBody, form)) }),
      responses: answers,
    };
  }

  const completed = mapValues(paths, (item) => mapValues(item, complete));
  const errors = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ responses }) => Object.keys(ERRORS).every((range) => range in responses));
  const responses = Object.fromEntries(
    Object.entries(ERRORS).map(([range, name]) => [
      name,
      {
        ...withExamples(errors?.responses[range] as DocumentedAnswer),
        headers: givenHeaders(['X-Request-ID', 'Retry-After']),
      },
    ]),
  );
  return {
    ...rest,
    components: { ...components, ...headerComponents, responses },
    paths: completed,
  } as Document;
}

const withForm = (body: DocumentedAnswer, schema: ExampleSchema | undefined): DocumentedAnswer =>
  schema ? { ...body, content: { ...body.content, 'multipart/form-data': { schema } } } : body;

/** All operations have the same errors, so the document has each range once, under this name. */
const ERRORS: Readonly<Record<string, string>> = { '4XX': 'Refused', '5XX': 'Failed' };

const mapValues = <Value, Result>(
  object: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
