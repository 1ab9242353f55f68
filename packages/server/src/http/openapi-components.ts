/**
 * The converter (fastify-type-provider-zod) lists each named schema twice: as clients send it (`NameInput`) and as they
 * receive it (`Name`). This file removes the schemas to which no route refers. A schema that clients send but never
 * receive gets the name without `Input`.
 */
type JsonObject = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

export function tidyComponents<Document>(document: Document): Document {
  const { components, ...rest } = document as { components?: { schemas?: JsonObject } };
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const name of references(value)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(rest);
  const renamed = new Map(
    [...used].map((name) => {
      const plain = name.replace(/Input$/, '');
      return [name, plain in schemas && !used.has(plain) ? plain : name];
    }),
  );
  const kept = Object.fromEntries(
    [...renamed].map(([from, to]): [string, unknown] => [to, schemas[from]]).sort(byName),
  );
  const text = JSON.stringify({ ...rest, components: { ...components, schemas: kept } });
  return JSON.parse(text, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(PREFIX)
      ? PREFIX + (renamed.get(value.slice(PREFIX.length)) ?? '')
      : value,
  ) as Document;
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string' && inner.startsWith(PREFIX))
      yield inner.slice(PREFIX.length);
    else yield* references(inner);
  }
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
