/**
 * Has recordings written down by a model over HTTP, as OpenAI and servers like it offer it:
 * https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
import pLimit from 'p-limit';
import { z } from 'zod';
import { SourceError } from '../../errors.ts';
import type { Recording, SpokenPassage, Transcribe, Transcript } from '../../model/transcript.ts';
import { readJson, type TextAnswer } from '../../net/request.ts';
import { nameOf, type RemoteModel } from '../../providers.ts';
import { RemoteFailure, scrubbed, statusFailure } from '../remote/failure.ts';
import { requestModel } from '../remote/fetch.ts';
import { retrying } from '../remote/retry.ts';
import { formOf } from './form.ts';
import { tagOf } from './language.ts';

/** A request together with its repetitions may take `timeoutMs`. */
export interface TranscriberOptions {
  readonly timeoutMs: number;
}

/** Several recordings at once would only share one graphics card, or be refused by the limits of a provider. */
const PARALLEL = 2;
/** A recording of a day has fewer bytes of text and times. */
const MAX_ANSWER_BYTES = 32 * 2 ** 20;
/** After a longer wait that the server asks for, the sync parks its job, so that other jobs can run. */
const LONGEST_WAIT_MS = 3000;
/** These statuses are about the file: it is too large, or its format or content is not understood. */
const ABOUT_THE_FILE = [400, 413, 415, 422];

const Answer = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(z.object({ start: z.number(), text: z.string() })).nullish(),
});

export function createTranscriber(
  remote: RemoteModel,
  { timeoutMs }: TranscriberOptions,
): Transcribe {
  const limit = pLimit(PARALLEL);
  return (recording, signal) =>
    limit(async () => {
      try {
        return await retrying((ms) => ask(remote, recording, { ms, signal }), {
          deadline: Date.now() + timeoutMs,
          signal,
          patienceMs: LONGEST_WAIT_MS,
        });
      } catch (error) {
        throw error instanceof RemoteFailure ? errorOf(error, remote, timeoutMs) : error;
      }
    });
}

async function ask(
  remote: RemoteModel,
  recording: Recording,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Transcript> {
  const { url, key, model } = remote;
  // The newer models of OpenAI know no times, and refuse to be asked for them.
  const format = model.startsWith('gpt-') ? 'json' : 'verbose_json';
  const form = formOf({ model, response_format: format }, recording);
  const asked = requestModel(remote, `${url}/audio/transcriptions`, {
    headers: {
      accept: 'application/json',
      'content-type': form.type,
      'content-length': String(form.size),
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: form.body(),
    signal,
    deadlineMs: ms,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const answer = await asked.catch((error) => {
    throw form.fault() ?? error;
  });
  if (ABOUT_THE_FILE.includes(answer.status)) throw refusalOf(answer, remote);
  if (answer.status === 500) throw new ServerFault('broken', statusFailure(answer, key).message);
  if (answer.status >= 300) throw statusFailure(answer, key);
  const { value, failure } = readJson(answer.text, Answer);
  if (failure) throw new RemoteFailure('invalid', 'an answer of another form');
  const passages = value.segments?.length ? value.segments : [{ start: 0, text: value.text }];
  const language = tagOf(value.language ?? '');
  return { passages: passages.map(fromBeginning), ...(language !== undefined && { language }) };
}

/**
 * A server that answers 500 at each attempt mostly cannot read this one recording, so the sync goes on without it. When
 * the server itself is away, a proxy answers 502 to 504, and the sync waits.
 */
class ServerFault extends RemoteFailure {}

/** Some models round the time of the first words to one before the recording. */
const fromBeginning = ({ start, text }: SpokenPassage): SpokenPassage => ({
  start: Math.max(0, start),
  text,
});

function refusalOf(answer: TextAnswer, remote: RemoteModel): SourceError {
  const { message } = statusFailure(answer, remote.key);
  return new SourceError(
    'skip',
    `${nameOf(remote)} does not take the recording: ${scrubbed(message, remote.key)}`,
    { hint: 'Convert it to MP3, and split it if it is long.' },
  );
}

function errorOf(failure: RemoteFailure, remote: RemoteModel, timeoutMs: number): SourceError {
  const { kind, message, retryAfter } = failure;
  const text = `the transcriber ${nameOf(remote)} gave no text: ${message}`;
  switch (kind) {
    case 'limited':
      return new SourceError('rate_limited', text, {
        ...(retryAfter !== undefined && { retryAfter: retryAfter / 1000 }),
      });
    case 'broken':
      return failure instanceof ServerFault
        ? new SourceError('skip', text, { hint: 'Look into the log of the server, or convert it.' })
        : new SourceError('transient', text);
    case 'late':
      return new SourceError('skip', `${text} (within ${timeoutMs / 1000} s)`, {
        hint: 'Split the recording, or raise QUARRY_TRANSCRIBER_SECONDS.',
      });
    case 'refused':
      return new SourceError('config', text);
    case 'invalid':
      return new SourceError('skip', text, {
        hint: 'Check that the server speaks the protocol of OpenAI.',
      });
  }
}
