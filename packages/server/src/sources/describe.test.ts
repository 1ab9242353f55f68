import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { defineSource, secret, secretFile } from './define.ts';
import { describeSource } from './describe.ts';

const meta = (title: string) => ({ title, description: `About ${title}` });

const config = z
  .strictObject({
    folder: z.string().meta(meta('Folder')),
    depth: z.int().default(3).meta(meta('Depth')),
    hidden: z.boolean().default(false).meta(meta('Hidden')),
    names: z.array(z.string()).optional().meta(meta('Names')),
    rules: z.object({}).optional().meta(meta('Rules')),
    mode: z.enum(['a', 'b']).default('a').meta(meta('Mode')),
  })
  .refine(() => true);

const base = {
  shortName: 'bird_watch2',
  name: 'Bird watch',
  description: 'Birds.',
  labels: ['Nature'],
  config,
  entities: { Bird: z.object({}), Nest: z.object({}) },
  evidence: [],
  rateLimitLevel: null,
};
const birds = defineSource({
  ...base,
  auth: {
    direct: {
      fields: z.object({ token: secret('Token', 'A key'), user: z.string().meta(meta('User')) }),
    },
  },
  cursor: z.object({}),
  deletions: 'told',
  async *members() {},
});

describe('the catalog entry of a source', () => {
  it('[SRC-02] [SRC-03] [SRC-04] [SRC-05] [SRC-06] [SRC-11] [SRC-12] shows what the source is and can do', () => {
    const { auth_fields: _, config_fields: __, ...entry } = describeSource(birds);
    assert.deepEqual(entry, {
      name: 'Bird watch',
      short_name: 'bird_watch2',
      description: 'Birds.',
      auth_methods: ['direct'],
      oauth_type: null,
      oauth_scopes: null,
      requires_byoc: false,
      auth_config_class: 'BirdWatch2AuthConfig',
      config_class: 'BirdWatch2Config',
      class_name: 'BirdWatch2Source',
      output_entity_definitions: ['Bird', 'Nest'],
      supported_auth_providers: [],
      labels: ['Nature'],
      supports_continuous: true,
      is_local: false,
      federated_search: false,
      supports_access_control: true,
    });
    const plain = describeSource(defineSource({ ...base, auth: {} }));
    assert.equal(plain.supports_continuous, false);
    assert.equal(plain.supports_access_control, false);
  });

  it('[SRC-07] [SRC-10] has credential fields, marked as secret where the schema says so, and null without any', () => {
    assert.deepEqual(describeSource(birds).auth_fields, {
      fields: [
        {
          name: 'token',
          title: 'Token',
          description: 'A key',
          type: 'string',
          required: true,
          secret: true,
        },
        { name: 'user', title: 'User', description: 'About User', type: 'string', required: true },
      ],
    });
    const plain = describeSource(defineSource({ ...base, auth: {} }));
    assert.equal(plain.auth_fields, null);
    const robot = z.object({ account: secretFile('Account', 'A JSON key').refine(() => true) });
    const { auth_fields } = describeSource(
      defineSource({ ...base, auth: { direct: { fields: robot } } }),
    );
    const [account] = auth_fields?.fields ?? [];
    assert.deepEqual([account?.secret, account?.file], [true, true]);
  });

  it('[SRC-08] [SRC-09] has the fields of the schema, with types, defaults and whether they are required', () => {
    const { fields } = describeSource(birds).config_fields;
    assert.deepEqual(
      fields.map(({ name, type, required }) => [name, type, required]),
      [
        ['folder', 'string', true],
        ['depth', 'number', false],
        ['hidden', 'boolean', false],
        ['names', 'array', false],
        ['rules', 'object', false],
        ['mode', 'string', false],
      ],
    );
    assert.deepEqual(fields[1], {
      name: 'depth',
      title: 'Depth',
      description: 'About Depth',
      type: 'number',
      required: false,
      default: 3,
    });
    assert.equal(fields[2]?.default, false);
    assert.ok(fields[0] && !('default' in fields[0]) && !('secret' in fields[0]));
    const empty = defineSource({
      ...base,
      auth: {},
      config: z.strictObject({}),
    });
    assert.deepEqual(describeSource(empty).config_fields, { fields: [] });
  });

  it('[AUTH-38] marks fields with options, and refuses a source that marks a field without offering options', () => {
    const marked = z.strictObject({
      nest: z
        .string()
        .optional()
        .meta({ ...meta('Nest'), options: true }),
      tree: z.string().optional().meta(meta('Tree')),
    });
    const options = async () => [];
    const { config_fields } = describeSource(
      defineSource({ ...base, auth: {}, config: marked, options }),
    );
    assert.deepEqual(
      config_fields.fields.map(({ name, has_options }) => [name, has_options]),
      [
        ['nest', true],
        ['tree', undefined],
      ],
    );
    const message = /^bird_watch2 needs both the function options and fields with \.meta/;
    assert.throws(() => defineSource({ ...base, auth: {}, config: marked }), { message });
    assert.throws(() => defineSource({ ...base, auth: {}, options }), { message });
  });

  it('refuses a field without a description', () => {
    const nameless = z.object({ x: z.string().meta({ title: 'X' }) });
    const source = defineSource({ ...base, auth: {}, config: nameless });
    assert.throws(() => describeSource(source), {
      message: 'the field bird_watch2.x has no description',
    });
  });
});
