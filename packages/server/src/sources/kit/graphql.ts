/** Makes queries to GraphQL services, and reads their answers (https://spec.graphql.org, sections 2.4 and 7.1). */
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import { withoutQuery } from '../../net/request.ts';

export const GraphQLAnswer = z.object({
  data: z.unknown(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
});

/** Throws a SourceError 'fatal' for an answer with errors, and for data of another shape. */
export function dataOf<T>(
  { data, errors }: z.infer<typeof GraphQLAnswer>,
  schema: z.ZodType<T>,
  url: URL,
): T {
  const [error] = errors ?? [];
  if (error) throw new SourceError('fatal', `${withoutQuery(url)} answered: ${error.message}`);
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.');
  throw new SourceError('fatal', `${withoutQuery(url)} answered in an unknown form (${where})`);
}

/** These are the parts of a JSON Schema that a selection follows from. */
interface SelectedShape {
  readonly properties?: Readonly<Record<string, SelectedShape>>;
  readonly items?: SelectedShape;
  readonly anyOf?: readonly SelectedShape[];
  readonly arguments?: string;
}

/**
 * Returns the selection set of everything that the schema reads. A schema whose field takes arguments has them in its
 * metadata: `.meta({ arguments: 'first: 10' })`.
 */
export const selectionOf = (schema: z.ZodType): string =>
  selectionIn(z.toJSONSchema(schema, { io: 'input' }) as SelectedShape);

function selectionIn({ properties, items, anyOf = [] }: SelectedShape): string {
  if (!properties) return (items ? [items] : anyOf).map(selectionIn).find(Boolean) ?? '';
  const fields = Object.entries(properties).map(([name, inner]) =>
    [name, inner.arguments && `(${inner.arguments})`, selectionIn(inner)].filter(Boolean).join(' '),
  );
  return `{ ${fields.join(' ')} }`;
}
