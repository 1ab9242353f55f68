/**
 * Makes the description of a source for the catalog. The form fields come from the same schemas that validate the
 * input, so form and validation cannot disagree.
 */
import { z } from 'zod';
import { AUTH_PROVIDERS } from '../model/auth-provider.ts';
import { markedFields, methodsOf, type Source, syncMode } from './define.ts';
import type { SourceField, SourceType } from './schema.ts';

/** The redirect address of an OAuth sign-in depends on the service and not on the source, so the routes add it. */
export function describeSource(source: Source): Omit<SourceType, 'redirect_uri'> {
  const { direct, oauth } = source.auth;
  const className = pascalCase(source.shortName);
  return {
    name: source.name,
    short_name: source.shortName,
    description: source.description,
    auth_methods: methodsOf(source),
    oauth_type: oauth ? (oauth.refresh === 'never' ? 'access_only' : 'with_refresh') : null,
    oauth_scopes: oauth ? [...oauth.scopes] : null,
    requires_byoc: oauth !== undefined && !source.operator?.client,
    auth_config_class: `${className}AuthConfig`,
    config_class: `${className}Config`,
    class_name: `${className}Source`,
    output_entity_definitions: Object.keys(source.entities),
    auth_fields: direct && !direct.isOptional ? { fields: fieldsOf(source, direct.fields) } : null,
    config_fields: { fields: fieldsOf(source, source.config) },
    supported_auth_providers: source.api ? [...AUTH_PROVIDERS] : [],
    labels: [...source.labels],
    supports_continuous: source.cursor !== undefined,
    is_local: source.isLocal === true,
    federated_search: syncMode(source) === 'federated',
    supports_access_control: source.members !== undefined || source.namesViewers === true,
  };
}

/** These are the parts of the JSON Schema of a field that a form needs. */
interface Property {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly secret?: unknown;
  readonly options?: unknown;
  readonly file?: unknown;
}

/** Returns the names of the credential fields that `secret()` made. */
export const secretFields = ({ auth }: Source): string[] =>
  auth.direct ? markedFields(auth.direct.fields, 'secret') : [];

function fieldsOf(source: Source, schema: z.ZodType): SourceField[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) =>
    toField(property as Property, { source, name, required: required.includes(name) }),
  );
}

function toField(
  property: Property,
  { source, name, required }: { source: Source; name: string; required: boolean },
): SourceField {
  const text = (key: 'title' | 'description' | 'type'): string => {
    const value = property[key];
    if (typeof value !== 'string')
      throw new Error(`the field ${source.shortName}.${name} has no ${key}`);
    return value;
  };
  const type = text('type');
  return {
    name,
    title: text('title'),
    description: text('description'),
    type: type === 'integer' ? 'number' : type,
    required,
    ...(property.secret === true && { secret: true }),
    ...(property.file === true && { file: true }),
    ...(property.options === true && { has_options: true }),
    ...(property.default !== undefined && { default: property.default }),
  };
}

const pascalCase = (shortName: string) =>
  shortName.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
