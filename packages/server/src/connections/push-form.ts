/**
 * A push may come as a form (multipart/form-data, RFC 7578) with one file, whose text becomes the text of an entity.
 * The part `file` is the file; the part `entity` is the entity as JSON, without a text. Without an id or a name, the
 * entity has the name of the file.
 */
import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError, invalid, tooLarge } from '../errors.ts';
import type { App } from '../http/server.ts';
import { MAX_PUSHED_FILE_BYTES, type PushedFile, type SentPush } from '../model/pushed.ts';
import { isStorable } from '../model/storable.ts';

export const PUSH_FORM = {
  type: 'object',
  required: ['file'],
  properties: {
    file: {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: 'The file. Its name says of which kind it is.',
    },
    entity: {
      type: 'string',
      contentMediaType: 'application/json',
      description:
        'The entity as JSON, without a text. Its id and its name are the name of the file when omitted.',
    },
  },
  example: { file: '(the content of report.pdf)', entity: '{"entity_id":"report-7"}' },
};

const MAX_ENTITY_BYTES = 1024 * 1024;
const MAX_NAME = 1024;
/** One more of each is taken, so that the answer can say what is wrong. */
const LIMITS = {
  files: 3,
  fields: 2,
  fieldSize: MAX_ENTITY_BYTES,
  fileSize: MAX_PUSHED_FILE_BYTES,
};

/** The scope takes forms from now on. Each form becomes the `sentPush` of its request. */
export function takePushForms(scope: App): void {
  void scope.register(multipart, { limits: LIMITS });
  scope.addHook('preValidation', async (req) => {
    if (req.isMultipart()) req.sentPush = await partsOf(req);
  });
}

async function partsOf(req: FastifyRequest): Promise<SentPush> {
  let file: PushedFile | undefined;
  let entity: Buffer | undefined;
  try {
    for await (const part of req.parts()) {
      if (part.fieldname === 'file') {
        if (file) throw invalid('the form has two parts file: push one file at a time');
        file = await fileOf(part);
      } else if (part.fieldname === 'entity') {
        if (entity !== undefined) throw invalid('the form has two parts entity: send one');
        entity = await bytesOf(part);
      } else
        throw invalid(`the form has no part '${part.fieldname}': its parts are file and entity`);
    }
  } catch (error) {
    throw ofForm(error);
  }
  if (!file) throw invalid('the form has no file: send it as the part file');
  return { json: entity, file };
}

async function fileOf(part: Multipart): Promise<PushedFile> {
  if (part.type !== 'file' || !part.filename)
    throw invalid('the file has no name: its name says of which kind it is', {
      loc: ['body', 'file'],
    });
  if (part.filename.length > MAX_NAME || !isStorable(part.filename))
    throw invalid(`the name of the file may have ${MAX_NAME} characters, and no NUL characters`, {
      loc: ['body', 'file'],
    });
  return { name: part.filename, content: await part.toBuffer() };
}

/** A part with the content type of JSON has been parsed already. Some programs send a part as a file. */
async function bytesOf(part: Multipart): Promise<Buffer> {
  if (part.type === 'file') {
    const bytes = await part.toBuffer();
    if (bytes.length <= MAX_ENTITY_BYTES) return bytes;
  } else if (!part.valueTruncated)
    return Buffer.from(typeof part.value === 'string' ? part.value : JSON.stringify(part.value));
  throw tooLarge(`the part entity may have ${MAX_ENTITY_BYTES} bytes`);
}

/** The reader of forms throws errors of its own for a form that is broken or too large. */
function ofForm(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === 413)
    return tooLarge(
      `the form is larger than allowed: a file may have ${MAX_PUSHED_FILE_BYTES / 1024 / 1024} MB`,
    );
  return invalid(`the form cannot be read: ${error.message}`);
}
