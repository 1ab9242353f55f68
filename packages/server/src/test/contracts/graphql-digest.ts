/** Makes the digest of a GraphQL schema: the types, fields, arguments and values in use, without descriptions. */
import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  type TypeNode,
} from 'graphql';
import type { GraphqlContract } from './contract.ts';
import { sha256Of } from './digest.ts';

type FieldNode = FieldDefinitionNode | InputValueDefinitionNode;

/** Throws an Error when the schema lacks a selected type, field or argument, or a selected field needs another type. */
export function graphqlDigestOf(
  { title, origin, selection }: GraphqlContract,
  document: string,
): string {
  const { definitions } = parse(document, { noLocation: true });
  const used = new Set<string>();
  const kept = definitions
    .flatMap((one) => selected(one, selection, used))
    .toSorted((a, b) => (a.name.value < b.name.value ? -1 : 1));
  const keptNames = new Set(kept.map(({ name }) => name.value));
  const missing = Object.keys(selection).filter((name) => !keptNames.has(name));
  if (missing.length > 0) throw new Error(`the schema has no type ${missing.join(', ')}`);
  const plain = definitions.flatMap((one) =>
    (one.kind === Kind.ENUM_TYPE_DEFINITION || one.kind === Kind.SCALAR_TYPE_DEFINITION) &&
    used.has(one.name.value)
      ? [withoutProse(one)]
      : [],
  );
  const all = new Set([...keptNames, ...plain.map(({ name }) => name.value), ...BUILT_IN]);
  const unknown = [...used].filter((name) => !all.has(name));
  if (unknown.length > 0) throw new Error(`the selection lacks the types ${unknown.join(', ')}`);
  const head = [
    title,
    `${origin.address} of ${origin.date}, ${origin.license}`,
    `SHA-256 ${sha256Of(document)}`,
    'Made by `npm run contracts`: the types, fields and arguments of the selection, and no others.',
  ];
  const texts = [...plain, ...kept].map((one) => print(one));
  return `${head.map((line) => `# ${line}\n`).join('')}\n${texts.join('\n\n')}\n`;
}

const BUILT_IN = ['String', 'Int', 'Float', 'Boolean', 'ID'];

function selected(
  definition: DefinitionNode,
  selection: GraphqlContract['selection'],
  used: Set<string>,
) {
  if (
    definition.kind !== Kind.OBJECT_TYPE_DEFINITION &&
    definition.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION &&
    definition.kind !== Kind.INTERFACE_TYPE_DEFINITION
  )
    return [];
  const type = definition.name.value;
  const wanted = selection[type];
  if (wanted === undefined) return [];
  const all = new Map((definition.fields ?? []).map((field) => [field.name.value, field]));
  const fields = [...wanted.matchAll(/(\w+)(?:\(([^)]*)\))?/g)].map(([, name = '', names]) => {
    const field = all.get(name);
    if (!field) throw new Error(`the type ${type} has no field ${name}`);
    used.add(nameOf(field.type));
    const wantedNames = names?.split(' ') ?? [];
    return { ...withoutProse(field), ...argumentsOf(field, wantedNames, used) };
  });
  return [{ ...withoutProse(definition), interfaces: [], fields } as typeof definition];
}

function argumentsOf(field: FieldNode, names: readonly string[], used: Set<string>) {
  if (field.kind !== Kind.FIELD_DEFINITION) return {};
  const given = field.arguments ?? [];
  const needed = given.filter(
    ({ name, type, defaultValue }) =>
      names.includes(name.value) || (type.kind === Kind.NON_NULL_TYPE && !defaultValue),
  );
  const absent = names.filter((name) => !given.some((one) => one.name.value === name));
  if (absent.length > 0) throw new Error(`${field.name.value} takes no ${absent.join(', ')}`);
  for (const { type } of needed) used.add(nameOf(type));
  return { arguments: needed.map((one) => withoutProse(one)) };
}

function withoutProse<Node extends { readonly kind: Kind }>(node: Node): Node {
  const {
    description: _,
    directives: __,
    ...own
  } = node as Node & {
    description?: unknown;
    directives?: unknown;
  };
  const { values } = own as { values?: readonly (typeof node)[] };
  return { ...own, ...(values && { values: values.map((one) => withoutProse(one)) }) } as Node;
}

const nameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
