/** The conformance suite expects these resources and prompts of a server under test. */
import { completable, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PNG } from './tools.ts';

export function registerResources(server: McpServer): void {
  server.registerResource('text', 'test://static-text', {}, ({ href: uri }) => ({
    contents: [
      { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
  }));
  server.registerResource('binary', 'test://static-binary', {}, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    {},
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

const words = (text: string) => ({
  role: 'user' as const,
  content: { type: 'text' as const, text },
});

export function registerPrompts(server: McpServer): void {
  const description = 'Of the conformance suite';
  server.registerPrompt('test_simple_prompt', { description }, () => ({
    messages: [words('This is a simple prompt for testing.')],
  }));
  const cities = ['paris', 'park', 'party'];
  const city = completable(z.string(), (value) => cities.filter((one) => one.startsWith(value)));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1: city, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        words('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      words('Please analyze the image above.'),
    ],
  }));
}
