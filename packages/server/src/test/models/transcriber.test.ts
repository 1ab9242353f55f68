/** These tests send recordings to a server of this machine that answers as OpenAI's `POST /audio/transcriptions`. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { createExtractor, type ExtractedText, type Extractor } from '../../documents/extract.ts';
import { inodeOf } from '../../documents/inode.ts';
import { chooseTranscriber } from '../../engines/choose.ts';
import { SourceError } from '../../errors.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { must } from '../../util.ts';

const KEY = 'sk-test-0123456789abcdef';
const MB = 1024 * 1024;

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly fields: Record<string, unknown>;
  readonly file: Buffer;
}

describe('a recording', () => {
  let folder: string;
  let base: string;
  const heard: Heard[] = [];
  let react: (response: ServerResponse) => void;
  const server = createServer(async (request, response) => {
    // Some tests abort their request, and then nobody waits for an answer.
    const body = await buffer(request).catch(() => null);
    if (!body) return;
    assert.equal(`${request.method} ${request.url}`, 'POST /v1/audio/transcriptions');
    const type = request.headers['content-type'] ?? '';
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    const file = form.get('file') as File;
    const fields = Object.fromEntries([...form].filter(([name]) => name !== 'file'));
    heard.push({
      headers: request.headers,
      fields: { ...fields, filename: file.name },
      file: Buffer.from(await file.arrayBuffer()),
    });
    react(response);
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-recordings-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  beforeEach(() => {
    heard.length = 0;
    react = says({ text: 'Hello.', language: 'english', duration: 1, segments: [] });
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  const says = (answer: object) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  const refuses =
    (status: number, message = 'no', headers = {}) =>
    (response: ServerResponse) =>
      response.writeHead(status, headers).end(JSON.stringify({ error: { message } }));
  /** The server reacts once in each of these ways, and then in the last way. */
  const inTurn = (...reactions: ((response: ServerResponse) => void)[]) => {
    let at = 0;
    react = (response) => must(reactions[Math.min(at++, reactions.length - 1)])(response);
  };

  const settingsOf = (settings: Record<string, string> = {}) =>
    readConfig({
      QUARRY_TRANSCRIBER: `openai/whisper-1@${base}`,
      OPENAI_API_KEY: KEY,
      ...settings,
    });

  /** Opens the extractor as the worker does, from the settings. */
  function open(settings: Record<string, string> = {}): Extractor & AsyncDisposable {
    const { transcribe, largestMb } = must(
      chooseTranscriber(settingsOf(settings), createMetrics()),
    );
    const optional = new Map([['recording', largestMb]] as const);
    const extractor = createExtractor({ transcribe, optional });
    return { ...extractor, [Symbol.asyncDispose]: () => extractor.close() };
  }
  async function fileOf(name: string, content: Uint8Array) {
    const path = join(folder, name);
    await writeFile(path, content);
    const inode = inodeOf(await lstat(path, { bigint: true }));
    return { path, name, size: content.length, inode };
  }
  const never = new AbortController().signal;
  const SOUND = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24));

  async function extract(settings: Record<string, string> = {}, name = 'talk.mp3') {
    await using extractor = open(settings);
    return extractor.extract(await fileOf(name, SOUND), never);
  }
  async function failure(settings: Record<string, string> = {}): Promise<SourceError> {
    const error = await extract(settings).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof SourceError, String(error));
    assert.doesNotMatch(`${error.message} ${error.hint} ${error.cause}`, /sk-test/);
    return error;
  }

  it('is sent whole, as a form with the length of its body', async () => {
    await extract({}, 'a "talk"\r\n.mp3');
    const [{ headers, fields, file }] = heard as [Heard];
    assert.deepEqual(fields, {
      model: 'whisper-1',
      response_format: 'verbose_json',
      filename: 'a "talk"\r\n.mp3',
    });
    assert.ok(file.equals(SOUND));
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.ok(Number(headers['content-length']) > SOUND.length);
    assert.equal(headers['transfer-encoding'], undefined);
  });

  it('becomes paragraphs of half a minute to a minute, with their times and the language', async () => {
    const segments = Array.from({ length: 40 }, (_, i) => ({
      id: i,
      start: 700 + i * 8.5,
      end: 708 + i * 8.5,
      text: ` # Sentence ${i}${i % 7 === 6 ? '.' : ','}`,
    }));
    react = says({ text: 'x', language: 'german', duration: 1040, segments });
    const extracted = (await extract()) as ExtractedText;
    assert.deepEqual(extracted.about, { language: 'de' });
    assert.equal(extracted.version, 'recording-1');
    const { text, pages = [], places = [] } = extracted;
    assert.deepEqual(places.slice(0, 3), ['time 00:11:40', 'time 00:12:39', 'time 00:13:39']);
    const paragraphs = text.split('\n\n');
    assert.deepEqual(
      pages,
      paragraphs.map((paragraph) => text.indexOf(paragraph)),
    );
    assert.match(paragraphs[0] ?? '', /^\\# Sentence 0, # Sentence 1, .* # Sentence 6\.$/);
    assert.equal(paragraphs.join(' ').match(/Sentence/g)?.length, 40);
  });

  it('is one paragraph when the model gives no times', async () => {
    react = says({ text: 'Hello there.' });
    const extracted = (await extract({
      QUARRY_TRANSCRIBER: `openai/gpt-4o-transcribe@${base}`,
    })) as ExtractedText;
    assert.deepEqual([extracted.text, extracted.pages], ['Hello there.', undefined]);
    assert.equal(heard[0]?.fields.response_format, 'json');
  });

  it('is not sent again when a file with the same content was written down before', async () => {
    await using extractor = open();
    const first = await extractor.extract(await fileOf('one.mp3', SOUND), never);
    assert.ok(first.kind === 'text' && first.contentHash);
    const stored = new Map([[first.contentHash, first]]);
    const copy = await extractor.extract(
      await fileOf('copy.mp3', SOUND),
      never,
      async (hash) => stored.get(hash) ?? null,
    );
    assert.ok(copy.kind === 'text' && copy.text === 'Hello.');
    assert.equal(heard.length, 1);
  });

  it('is sent once when two copies are read at the same time', async () => {
    react = says({ text: 'Hello.' });
    await using extractor = open();
    const copies = await Promise.all(['a.mp3', 'b.mp3'].map((name) => fileOf(name, SOUND)));
    const texts = await Promise.all(copies.map((file) => extractor.extract(file, never)));
    assert.deepEqual(
      texts.map((one) => (one as ExtractedText).text),
      ['Hello.', 'Hello.'],
    );
    assert.equal(heard.length, 1);
    const stopped = new AbortController();
    const [one, other] = copies.map((file, i) =>
      extractor.extract(file, i === 0 ? stopped.signal : never),
    );
    setImmediate(() => stopped.abort(new Error('stopped')));
    await assert.rejects(must(one), /stopped/);
    assert.equal(((await other) as ExtractedText).text, 'Hello.');
  });

  it('is sent again when its copy changed while that was sent', async () => {
    await using extractor = open();
    const copies = await Promise.all(['a.mp3', 'b.mp3'].map((name) => fileOf(name, SOUND)));
    react = (response) => {
      const sent = String(heard.at(-1)?.fields.filename);
      if (heard.length === 1) utimesSync(join(folder, sent), 0, 0);
      says({ text: heard.length === 1 ? 'Old.' : 'New.' })(response);
    };
    const texts = await Promise.all(copies.map((file) => extractor.extract(file, never)));
    const found = texts.map((one) => {
      const { text, contentHash } = one as ExtractedText;
      return [text, contentHash !== undefined] as const;
    });
    assert.deepEqual(
      new Map(found),
      new Map([
        ['Old.', false],
        ['New.', true],
      ]),
    );
    assert.equal(heard.length, 2);
  });

  it('that is larger than the setting is left out, and nothing is sent', async () => {
    await using extractor = open({ QUARRY_TRANSCRIBER_MB: '1' });
    assert.deepEqual(
      await extractor.extract(await fileOf('long.wav', Buffer.alloc(MB + 1)), never),
      {
        kind: 'skip',
        reason: 'too large',
        detail: '1.0 MB, more than 1 MB',
      },
    );
    assert.equal(heard.length, 0);
  });

  it('that the model refuses is left out with its reason, and is not sent twice', async () => {
    react = refuses(400, `Invalid file format. (key ${KEY})`);
    const { kind, message, hint } = await failure();
    assert.equal(kind, 'skip');
    assert.equal(
      message,
      'openai/whisper-1 does not take the recording: 400 Invalid file format. (key ***)',
    );
    assert.equal(hint, 'Convert it to MP3, and split it if it is long.');
    assert.equal(heard.length, 1);
  });

  it('is sent again after an error of the server, with its whole content', async () => {
    inTurn(refuses(500), (response) => response.destroy(), says({ text: 'Hello again.' }));
    const extracted = (await extract()) as ExtractedText;
    assert.equal(extracted.text, 'Hello again.');
    assert.equal(heard.length, 3);
    assert.ok(heard.every(({ file }) => file.equals(SOUND)));
  });

  it('with which the server fails at each attempt is left out', async () => {
    react = refuses(500, 'cannot decode');
    const { kind, message } = await failure();
    assert.deepEqual([kind, heard.length], ['skip', 3]);
    assert.match(message, /500 cannot decode$/);
  });

  it('waits when the server is away for long, and when it asks to wait', async () => {
    react = refuses(503);
    assert.equal((await failure()).kind, 'transient');
    heard.length = 0;
    react = refuses(429, 'slow down', { 'retry-after': '40' });
    const { kind, retryAfter } = await failure();
    assert.deepEqual([kind, retryAfter, heard.length], ['rate_limited', 40, 1]);
    react = (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"text": "half', () => response.destroy());
    };
    assert.equal((await failure()).kind, 'transient');
  });

  it('stops the sync when the key is refused', async () => {
    react = refuses(401, `Incorrect API key provided: ${KEY}`);
    const { kind, message } = await failure();
    assert.equal(kind, 'config');
    assert.match(message, /^the transcriber openai\/whisper-1 gave no text: 401 Incorrect API key/);
  });

  it('that takes too long is left out', async () => {
    react = () => {};
    const { kind, hint } = await failure({ QUARRY_TRANSCRIBER_SECONDS: '1' });
    assert.deepEqual(
      [kind, hint],
      ['skip', 'Split the recording, or raise QUARRY_TRANSCRIBER_SECONDS.'],
    );
  });

  it('is left out when the answer has another form', async () => {
    for (const answer of [{}, { text: 7 }, { text: 'a', segments: [{ start: '1', text: 'a' }] }]) {
      react = says(answer);
      assert.equal((await failure()).kind, 'skip', JSON.stringify(answer));
    }
  });

  it('may begin a little before its beginning', async () => {
    const segments = [
      { start: -0.02, text: 'Hello.' },
      { start: 61, text: 'Bye.' },
    ];
    react = says({ text: 'x', segments });
    const { text, places } = (await extract()) as ExtractedText;
    assert.deepEqual([text, places], ['Hello.\n\nBye.', ['time 00:00:00', 'time 00:01:01']]);
  });

  it('that cannot be read is left out, and is not asked for again', async () => {
    const { transcribe } = must(chooseTranscriber(settingsOf(), createMetrics()));
    const damaged = new SourceError('skip', 'the file cannot be read: EIO');
    let reads = 0;
    const recording = (rest: () => AsyncIterable<Uint8Array>) => ({
      name: 'talk.mp3',
      size: SOUND.length,
      async *read() {
        reads++;
        yield SOUND.subarray(0, 100_000);
        yield* rest();
      },
    });
    const broken = recording(async function* () {
      yield* [];
      throw damaged;
    });
    await assert.rejects(transcribe(broken, never), damaged);
    for (const rest of [SOUND.subarray(0, 1000), Buffer.concat([SOUND, SOUND])])
      await assert.rejects(
        transcribe(
          recording(async function* () {
            yield rest;
          }),
          never,
        ),
        { kind: 'skip', message: 'the file changed while it was sent' },
      );
    assert.deepEqual([reads, heard.length], [3, 0]);
  });

  it('needs no key at a server of the operator', async () => {
    await extract({ QUARRY_TRANSCRIBER: `openai-compatible/whisper@${base}`, OPENAI_API_KEY: '' });
    assert.equal(heard[0]?.headers.authorization, undefined);
  });

  it('needs a model that can write it down', () => {
    for (const [name, message] of [
      ['anthropic/claude', /QUARRY_TRANSCRIBER: .* with one of openai, openai-compatible/],
      ['builtin', /QUARRY_TRANSCRIBER: 'builtin' does not have the form/],
      ['openai/whisper-1', /QUARRY_TRANSCRIBER: openai\/whisper-1 needs OPENAI_API_KEY/],
    ] as const)
      assert.throws(() => readConfig({ QUARRY_TRANSCRIBER: name }), message);
    assert.equal(chooseTranscriber(readConfig({}), createMetrics()), null);
  });
});
