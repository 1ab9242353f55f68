/** Tests the document that is made of a client with zod schemas. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createV1Client, createV2Client } from 'confluence.js';
import { createCloudClient } from 'jira.js';
import { json, openCloudPeer } from '../sources/cloud-peer.ts';
import { digestOf } from './digest.ts';
import { openContract } from './open-contract.ts';

const SCRIPT = fileURLToPath(new URL('zod-document.ts', import.meta.url));
const ZOD = `import { z } from '${import.meta.resolve('zod')}';`;
/** A client of notes in the form that generators of such clients give to it. */
const CLIENT = {
  api: `${ZOD}
    import { NoteSchema, BytesSchema } from '../models/index.js';
    export const getNotes = async (client, parameters) => client.sendRequest({
      url: '/notes', method: 'GET',
      searchParams: { 'space-id': parameters?.spaceId, kind: parameters?.kind },
      schema: z.array(NoteSchema),
    });
    export const getNote = async (client, parameters) => client.sendRequest({
      url: \`/notes/\${parameters.id}\`, method: 'GET', schema: NoteSchema,
    });
    export const addNote = async (client, parameters) => client.sendRequest({
      url: '/notes', method: 'POST', body: { text: parameters.text, tag: parameters.tag },
    });
    export const download = async (client, parameters) => client.sendRequest({
      url: \`/notes/\${parameters.id}/file\`, method: 'GET', schema: BytesSchema,
    });
    export const upload = async (client, parameters) => {
      for (const file of parameters.files.all()) await client.sendRequest({ url: '/file', file });
    };`,
  models: `${ZOD}
    export const BytesSchema = z.custom(() => true);
    export const FaultSchema = z.object({ message: z.string() }).loose();
    export const NoteSchema = z.object({
      id: z.string(),
      at: z.coerce.date().optional(),
      get parent() { return NoteSchema.optional(); },
    }).loose();`,
  parameters: `${ZOD}
    export const GetNotesSchema = z.object({
      spaceId: z.array(z.number()),
      kind: z.enum(['long', 'short']).optional(),
    });
    export const GetNoteSchema = z.object({ id: z.string() });
    export const AddNoteSchema = z.object({ text: z.string(), tag: z.string().optional() });
    export const DownloadSchema = GetNoteSchema;`,
};

describe('the document of a client with zod schemas', () => {
  it('has its operations with the names of the wire, and the schemas of answers and errors', () => {
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    try {
      for (const [name, text] of Object.entries(CLIENT)) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'index.js'), text);
      }
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      const made = spawnSync(process.execPath, [SCRIPT, folder, '1.0.0', 'Fault'], {
        encoding: 'utf8',
      });
      assert.equal(made.status, 0, made.stderr);
      const { version, operations, schemas } = digestOf(
        {
          title: 'Notes',
          origin: { address: 'a', date: '2026-01-01', license: 'MIT', file: 'a' },
          operations: ['GET /notes', 'GET /notes/{id}', 'GET /notes/{id}/file', 'POST /notes'],
        },
        made.stdout,
      );
      const fault = { '4XX': { 'application/json': { $ref: '#/schemas/Fault' } } };
      const note = { $ref: '#/schemas/Note' };
      const text = { type: 'string' };
      const id = { in: 'path', name: 'id', required: true, schema: text };
      assert.equal(version, '1.0.0');
      assert.deepEqual(operations, {
        'GET /notes': {
          parameters: [
            {
              in: 'query',
              name: 'space-id',
              required: true,
              schema: { type: 'array', items: { type: 'number' } },
            },
            { in: 'query', name: 'kind', schema: { type: 'string', enum: ['long', 'short'] } },
          ],
          answers: { 200: { 'application/json': { type: 'array', items: note } }, ...fault },
        },
        'GET /notes/{id}': {
          parameters: [id],
          answers: { 200: { 'application/json': note }, ...fault },
        },
        'GET /notes/{id}/file': {
          parameters: [id],
          answers: { 200: { 'application/octet-stream': null }, ...fault },
        },
        'POST /notes': {
          parameters: [],
          body: {
            required: true,
            content: {
              'application/json': {
                type: 'object',
                properties: { text, tag: text },
                required: ['text'],
              },
            },
          },
          answers: { 200: {}, ...fault },
        },
      });
      assert.deepEqual(schemas.Note, {
        type: 'object',
        properties: { id: text, at: text, parent: note },
        required: ['id'],
      });
      assert.doesNotMatch(made.stdout, /"\/file"/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('accepts what these clients send', async () => {
    const contracts = (['jira', 'confluence', 'confluence-v1'] as const).map(openContract);
    const asked: string[] = [];
    const peer = await openCloudPeer((request) => {
      const contract = contracts.find(({ operationOf }) => operationOf(request));
      asked.push(contract?.checkRequest(request) ?? `unknown ${request.url.pathname}`);
      return json(404, {});
    });
    const auth = { type: 'basic', email: 'ann@acme.example', apiToken: 'a' } as const;
    const config = { host: peer.baseUrl, auth };
    await Promise.allSettled([
      createCloudClient(config).issueSearch.searchAndReconsileIssuesUsingJql({
        jql: 'project = OPS',
        fields: ['summary', 'project'],
        expand: 'names,changelog',
      }),
      createV2Client(config).page.getPages({ spaceId: [1, 2], status: ['current', 'trashed'] }),
      createV1Client(config).search.searchByCQL({ cql: 'type = page', limit: 2 }),
    ]);
    await peer.close();
    assert.deepEqual(asked.toSorted(), [
      'GET /rest/api/3/search/jql',
      'GET /wiki/api/v2/pages',
      'GET /wiki/rest/api/search',
    ]);
  });
});
