/** Tests remote embedders over the wire formats of all providers, and their failures. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createRemoteEmbedder, type RemoteEmbedderOptions } from '../../engines/embedder/remote.ts';
import { AppError, SourceError } from '../../errors.ts';
import type { Provider } from '../../providers.ts';
import { KEY, type ModelServer, type Reaction, startModelServer, vectorOf } from './server.ts';

const PROVIDERS: readonly Provider[] = [
  'openai',
  'openai-compatible',
  'mistral',
  'voyage',
  'cohere',
  'ollama',
];
const never = new AbortController().signal;
const DIMENSIONS = 64;

describe('a remote embedder', () => {
  let server: ModelServer;
  /** Each of these reactions replaces the usual answer of the server to one request. */
  let reactions: Reaction[] = [];

  before(async () => {
    server = await startModelServer(() => reactions.shift());
  });
  after(() => server.close());
  afterEach(() => {
    (server.calls as unknown[]).length = 0;
    reactions = [];
  });

  const embedderOf = (
    provider: Provider,
    options: RemoteEmbedderOptions = {},
    model = 'some-model',
  ) => createRemoteEmbedder(server.remote(provider, model), { dimensions: DIMENSIONS, ...options });
  const length = (vector: Float32Array) => Math.hypot(...vector);

  for (const provider of PROVIDERS)
    it(`of ${provider} returns unit vectors, one for each text, in order`, async () => {
      const embedder = embedderOf(provider);
      assert.equal(embedder.model, `${provider}/some-model:64`);
      const texts = ['the heron waits', 'an egret', 'the heron waits'];
      const vectors = await embedder.embed(texts, 'document', never);
      assert.equal(vectors.length, 3);
      for (const [i, vector] of vectors.entries()) {
        assert.ok(Math.abs(length(vector) - 1) < 1e-5);
        const expected = vectorOf(texts[i]!, DIMENSIONS);
        const scale = Math.hypot(...expected);
        expected.forEach((x, k) => {
          assert.ok(Math.abs(vector[k]! - x / scale) < 1e-6);
        });
      }
      assert.deepEqual(server.calls[0]?.texts, texts);
    });

  it('says whether a text is a query or a document, if the provider distinguishes them', async () => {
    for (const provider of ['voyage', 'cohere', 'openai'] as const)
      for (const as of ['document', 'query'] as const)
        await embedderOf(provider).embed(['heron'], as, never);
    assert.deepEqual(
      server.calls.map((call) => call.as),
      ['document', 'query', 'document', 'query', null, null],
    );
  });

  it('puts the configured prefixes before the texts, and has another model name because of them', async () => {
    const plain = embedderOf('ollama');
    const embedder = embedderOf('ollama', {
      queryPrefix: 'search_query: ',
      documentPrefix: 'search_document: ',
    });
    await embedder.embed(['heron'], 'query', never);
    await embedder.embed(['heron'], 'document', never);
    assert.deepEqual(
      server.calls.map(({ texts }) => texts),
      [['search_query: heron'], ['search_document: heron']],
    );
    assert.notEqual(embedder.model, plain.model);
    // The model name is part of a recipe, whose parts are separated by spaces.
    assert.doesNotMatch(embedder.model, /\s/);
  });

  it('knows the dimensions of common models, and requests the configured dimensions of others', async () => {
    const usual = createRemoteEmbedder(server.remote('openai', 'text-embedding-3-small'));
    assert.equal(usual.dimensions, 1536);
    reactions = [{ vectors: [vectorOf('heron', 1536)] }];
    await usual.embed(['heron'], 'query', never);
    for (const provider of ['openai', 'voyage', 'cohere', 'mistral', 'ollama'] as const)
      await embedderOf(provider).embed(['heron'], 'query', never);
    const asked = server.calls.map(({ dimensions }) => dimensions);
    assert.deepEqual(asked, [null, 64, 64, 64, 64, 64]);
    assert.throws(
      () => createRemoteEmbedder(server.remote('ollama', 'unheard-of')),
      /ollama\/unheard-of .* set QUARRY_EMBEDDER_DIMENSIONS/,
    );
  });

  it('fails with an error that names the setting when vectors have other dimensions', async () => {
    reactions = [{ vectors: [vectorOf('heron', 32)] }];
    const call = embedderOf('openai-compatible').embed(['heron'], 'document', never);
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof SourceError);
      assert.equal(error.kind, 'config');
      assert.match(error.message, /have 32 dimensions, and 64 were expected: set QUARRY_EMBEDDER_/);
      return true;
    });
  });

  it('splits many texts into several requests', async () => {
    const texts = Array.from({ length: 500 }, (_, i) => `text ${'word '.repeat(100)} ${i}`);
    for (const provider of PROVIDERS) {
      const vectors = await embedderOf(provider).embed(texts, 'document', never);
      assert.ok(vectors.every((vector) => length(vector) > 0.99));
      const calls = server.calls.filter((call) => call.provider === provider);
      assert.ok(calls.length > 1, provider);
      assert.deepEqual(calls.flatMap((call) => [...call.texts]).toSorted(), texts.toSorted());
      for (const { texts } of calls) {
        assert.ok(texts.length <= 256);
        if (provider === 'cohere') assert.ok(texts.length <= 96);
        // A token has about four letters.
        if (provider === 'mistral') assert.ok(texts.join('').length / 4 < 16_384);
      }
    }
  });

  it('sends only the beginning of a text that is too long, and does not send an empty text', async () => {
    const embedder = embedderOf('openai', { tokens: 10 });
    const texts = ['äöü'.repeat(1000), '', ' \n', 'short'];
    const vectors = await embedder.embed(texts, 'document', never);
    assert.deepEqual(server.calls[0]?.texts, ['äöü'.repeat(5), 'short']);
    assert.deepEqual(
      vectors.map((vector) => Math.round(length(vector))),
      [1, 0, 0, 1],
    );
    assert.deepEqual(await embedder.embed([], 'document', never), []);
    assert.equal(server.calls.length, 1);
  });

  const wrong: Record<string, Reaction> = {
    'fewer vectors than texts': { vectors: [] },
    'a body that is no JSON': { body: 'no' },
    'an answer of another form': { body: '{"data": [{"vector": [1]}]}' },
  };
  for (const [what, reaction] of Object.entries(wrong))
    it(`that returns ${what} ends the sync`, async () => {
      reactions = [reaction];
      const call = embedderOf('openai').embed(['heron'], 'document', never);
      await assert.rejects(call, { name: 'SourceError', kind: 'fatal' });
      assert.equal(server.calls.length, 1);
    });

  it('that refuses the key ends the sync, and the error does not show the key', async () => {
    reactions = [{ status: 401, message: `no such key: ${KEY}` }];
    const call = embedderOf('cohere').embed(['heron'], 'document', never);
    await assert.rejects(call, {
      name: 'SourceError',
      kind: 'config',
      message: 'the embedder cohere/some-model gave no vectors: 401 no such key: ***',
    });
  });

  it('that fails is asked again', async () => {
    reactions = [{ status: 500 }, 'cut'];
    const [vector] = await embedderOf('openai').embed(['heron'], 'document', never);
    assert.ok(length(vector!) > 0.99);
    assert.equal(server.calls.length, 3);
  });

  it('that is busy for a long time makes the sync wait, and makes a search answer 503 with Retry-After', async () => {
    const busy = { status: 429, headers: { 'retry-after': '300' } };
    reactions = [busy, busy];
    const embedder = embedderOf('voyage');
    await assert.rejects(embedder.embed(['heron'], 'document', never), {
      name: 'SourceError',
      kind: 'rate_limited',
      retryAfter: 300,
      message: /^the embedder voyage\/some-model asks to wait: 429/,
    });
    await assert.rejects(embedder.embed(['heron'], 'query', never), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.status, error.retryAfter], [503, 300]);
      return true;
    });
    assert.equal(server.calls.length, 2);
  });

  it('that cannot be reached causes a transient error', async () => {
    const away = await startModelServer();
    await away.close();
    const embedder = createRemoteEmbedder(away.remote('ollama'), { dimensions: 8 });
    await assert.rejects(embedder.embed(['heron'], 'document', never), {
      kind: 'transient',
      message: /the connection failed \(ECONNREFUSED\)/,
    });
  });

  it('that does not answer is disconnected at the timeout, or when the caller has left', async () => {
    reactions = ['hang', 'hang'];
    const embedder = embedderOf('openai', { timeoutMs: { document: 100, query: 100 } });
    await assert.rejects(embedder.embed(['heron'], 'document', never), { kind: 'transient' });
    await server.left();
    const leaving = new AbortController();
    const gone = new Error('gone');
    const call = embedderOf('openai').embed(['heron'], 'query', leaving.signal);
    const settled = assert.rejects(call, gone);
    while (server.calls.length < 2) await new Promise(setImmediate);
    leaving.abort(gone);
    await settled;
    await server.left();
  });

  it('sends no more requests after one has failed', async () => {
    const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
    reactions = [{ status: 400 }];
    await assert.rejects(embedderOf('ollama').embed(texts, 'document', never), /400/);
    assert.equal(server.calls.length, 1);
  });
});
