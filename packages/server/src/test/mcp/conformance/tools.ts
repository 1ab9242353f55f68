/**
 * The official conformance suite expects these tools of a server under test. The description of each tool says what the
 * tool must do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The image is one red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** The file has a header and no sound data. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const PAUSE_MS = 50;

/** Returns the capabilities that the client of a request without a session declares. */
export const capabilitiesOf = ({ envelope }: ServerContext['mcpReq']) =>
  (envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ];

const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, said: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
});

const CONTENTS: Readonly<Record<string, CallToolResult['content']>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

export function registerTools(server: McpServer): void {
  const description = 'Of the conformance suite';
  for (const [name, content] of Object.entries(CONTENTS))
    server.registerTool(name, { description }, () => ({ content }));

  server.registerTool('test_error_handling', { description }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });

  server.registerTool('test_tool_with_progress', { description }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      if (progress < 100) await sleep(PAUSE_MS);
    }
    return { content: [text('It has made progress.')] };
  });

  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, { description }, async ({ mcpReq }) => {
      await mcpReq.log('info', 'Tool execution started');
      await sleep(PAUSE_MS);
      await mcpReq.log('info', 'Tool processing data');
      await sleep(PAUSE_MS);
      await mcpReq.log('info', 'Tool execution completed');
      return { content: [text('It has written to the log.')] };
    });

  server.registerTool(
    'json_schema_2020_12_tool',
    { description, inputSchema: fromJsonSchema(DIALECT) },
    () => ({ content: [text('The arguments are as the schema wants them.')] }),
  );

  server.registerTool(
    'test_header_argument',
    { description, inputSchema: fromJsonSchema(HEADER) },
    () => ({ content: [text('The header says what the argument says.')] }),
  );
}

const DIALECT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const HEADER = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};
