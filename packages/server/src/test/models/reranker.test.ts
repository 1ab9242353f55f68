/** Tests remote rerankers over the wire formats of all providers, and their failures. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createRemoteReranker } from '../../engines/reranker/remote.ts';
import { type ModelServer, type Reaction, startModelServer } from './server.ts';

const never = new AbortController().signal;
const TEXTS = ['a zebra', 'the heron waits', 'heron'];

describe('a remote reranker', () => {
  let server: ModelServer;
  let reactions: Reaction[] = [];

  before(async () => {
    server = await startModelServer(() => reactions.shift());
  });
  after(() => server.close());
  afterEach(() => {
    (server.calls as unknown[]).length = 0;
    reactions = [];
  });
  const rerank = (options = {}, signal = never, texts: readonly string[] = TEXTS) =>
    createRemoteReranker(server.remote('cohere', 'r-1'), options).rerank('heron', texts, signal);

  for (const provider of ['cohere', 'voyage', 'openai-compatible'] as const)
    it(`of ${provider} returns a score in [0, 1] for each text, in order`, async () => {
      const reranker = createRemoteReranker(server.remote(provider, 'r-1'));
      assert.equal(reranker.model, `${provider}/r-1`);
      assert.deepEqual(await reranker.rerank('heron', TEXTS, never), [0, 1 / 3, 1]);
      const [call] = server.calls;
      assert.deepEqual([call?.prompt, call?.texts, call?.model], ['heron', TEXTS, 'r-1']);
    });

  it('that returns scores outside [0, 1] has them mapped to [0, 1], in the same order', async () => {
    reactions = [{ scores: [-4, 0, 7] }];
    const scores = await rerank();
    assert.ok(scores.every((score) => score > 0 && score < 1));
    assert.deepEqual(scores, scores.toSorted());
  });

  it('splits many texts into several requests, and sends none for no texts', async () => {
    const texts = Array.from({ length: 1200 }, (_, i) => (i % 2 ? 'heron' : 'zebra'));
    assert.deepEqual(
      await rerank({}, never, texts),
      texts.map((_, i) => i % 2),
    );
    assert.equal(server.calls.length, 3);
    assert.deepEqual(await rerank({}, never, []), []);
    assert.equal(server.calls.length, 3);
  });

  const wrong: Record<string, Reaction> = {
    'too few scores': { scores: [1, 0.5] },
    'a score of a text that nobody has sent': {
      scores: [0, 1, 3].map((index) => ({ index, relevance_score: 0.5 })),
    },
    'two scores of one text': {
      scores: [0, 1, 1].map((index) => ({ index, relevance_score: 0.5 })),
    },
    'an answer of another form': { body: '{"results": "none"}' },
    'a body that is no JSON': { body: '<' },
  };
  for (const [what, reaction] of Object.entries(wrong))
    it(`that returns ${what} causes an error`, async () => {
      reactions = [reaction];
      await assert.rejects(rerank(), { name: 'RemoteFailure', kind: 'invalid' });
    });

  it('that fails is asked again, within the deadline', async () => {
    reactions = [{ status: 500 }, 'cut'];
    assert.equal((await rerank()).length, 3);
    reactions = [{ status: 429, headers: { 'retry-after': '30' } }];
    await assert.rejects(rerank(), { kind: 'limited' });
    reactions = ['hang'];
    await assert.rejects(rerank({ deadlineMs: 100 }), { kind: 'late' });
    await server.left();
  });

  it('is disconnected when the caller has left', async () => {
    reactions = ['hang'];
    const leaving = new AbortController();
    const gone = new Error('gone');
    const settled = assert.rejects(rerank({}, leaving.signal), gone);
    while (server.calls.length === 0) await new Promise(setImmediate);
    leaving.abort(gone);
    await settled;
    await server.left();
  });
});
