/** Finds the candidates of every query of a judged set with their features, with the code of the service. */
import { embeddedText, split } from '../../packages/server/src/documents/split.ts';
import { createBuiltinEmbedder } from '../../packages/server/src/engines/embedder/builtin.ts';
import { loadModel } from '../../packages/server/src/engines/embedder/model-file.ts';
import { createWords } from '../../packages/server/src/engines/embedder/words.ts';
import { createBm25 } from '../../packages/server/src/eval/bm25.ts';
import type { RankedQuery } from '../../packages/server/src/eval/fit-weights.ts';
import {
  type JudgedDocument,
  nameOf,
  readDocuments,
  readQueries,
  untitled,
  withCutNames,
} from '../../packages/server/src/eval/judged.ts';
import type { Piece } from '../../packages/server/src/model/chunk.ts';
import { terms } from '../../packages/server/src/model/terms.ts';
import { hasTitle, indexTerms } from '../../packages/server/src/model/title.ts';
import { cosine, quantize } from '../../packages/server/src/model/vector.ts';
import { type Digest, digestOf } from '../../packages/server/src/search/digest.ts';
import { plainMeaning } from '../../packages/server/src/search/meaning.ts';
import { createQuestion, type Question } from '../../packages/server/src/search/question.ts';
import { BAND, RERANK } from '../../packages/server/src/search/rank.ts';
import { rerankedFeatures } from '../../packages/server/src/search/score.ts';
import type { ChunkRow } from '../../packages/server/src/search/store.ts';

interface PreparedQuery extends RankedQuery {
  readonly id: string;
  readonly question: Question;
  /** Each candidate is a chunk; `found` and `digests` stand in the order of the features. */
  readonly found: readonly ChunkRow[];
  readonly digests: readonly Digest[];
}

export interface Prepared {
  readonly name: string;
  readonly asked: readonly PreparedQuery[];
  /** All chunks of the set. */
  readonly chunks: readonly ChunkRow[];
  /** Returns the number of chunks that have the term. */
  frequencyOf(term: string): number;
}

/** An experiment replaces one of these steps; without them, chunks are made as the service makes them. */
export interface ChunkSteps {
  readonly piecesOf?: (document: JudgedDocument) => Piece[];
  /** Returns the text that is embedded. */
  readonly textOf?: (title: string, piece: Piece) => string;
  /** Every document gets this many characters of its text as its name. */
  readonly cutNames?: number;
}

const model = loadModel();
const embedder = createBuiltinEmbedder({ model });
const words = createWords(model);
const never = new AbortController().signal;

/** The feature `topic` is computed with the current default weights of the service. */
export async function prepare(folder: string, steps: ChunkSteps = {}): Promise<Prepared> {
  const titled = readDocuments(folder);
  const documents =
    steps.cutNames === undefined ? titled : withCutNames(untitled(titled), steps.cutNames);
  const queries = readQueries(folder, new Set(documents.map(({ id }) => id)));
  const rows = await rowsOf(documents, steps);
  const lists = rows.map((row) => indexTerms(row, row.is_titled));
  const frequencies = new Map<string, number>();
  for (const list of lists)
    for (const term of new Set(list)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const frequencyOf = (term: string) => frequencies.get(term) ?? 0;
  const averageLength = lists.reduce((sum, list) => sum + list.length, 0) / lists.length;
  const byWords = createBm25(
    rows.map(({ n, name, heading, text }) => ({
      id: `${n}`,
      title: `${name}\n${heading ?? ''}`,
      text,
    })),
  );
  const stored = rows.map(({ scale, vector }) => ({
    scale,
    values: new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  }));
  const vectors = await embedder.embed(
    queries.map(({ text }) => text),
    'query',
    never,
  );
  const asked = queries.map(({ id, text, relevant }, i) => {
    const vector = quantize(vectors[i]!);
    const cosines = stored.map((one) => cosine(one, vector));
    const byMeaning = [...cosines.keys()].sort((a, b) => cosines[b]! - cosines[a]! || a - b);
    const band = new Set([...byWords(text, BAND).map(Number), ...byMeaning.slice(0, BAND)]);
    const readings = [terms(text)];
    const names = [...new Set(readings.flat())];
    const documentFrequencies = names.map(frequencyOf);
    const question = createQuestion(readings, {
      statistics: { chunks: rows.length, averageLength, documentFrequencies },
      countedTerms: names,
      weightOf: words.weight,
    });
    const found = [...band].map((n) => rows[n]!);
    const digests = found.map((head) => digestOf(head, head));
    const features = rerankedFeatures(
      found.map((head, row) => ({ head, digest: digests[row]! })),
      { query: text, question, vector, meaning: plainMeaning },
      { words, weights: RERANK },
    );
    return {
      ...{ id, relevant, question, found, digests, features },
      documents: found.map((row) => row.entity_id),
    };
  });
  return {
    name: nameOf(folder),
    asked,
    chunks: rows,
    frequencyOf,
  };
}

async function rowsOf(
  documents: readonly JudgedDocument[],
  {
    piecesOf = ({ title, text }) => split({ name: title, text }),
    textOf = embeddedText,
  }: ChunkSteps,
): Promise<ChunkRow[]> {
  const pieces = documents.flatMap((document) =>
    piecesOf(document).map((piece, position) => ({
      ...{ id: document.id, title: document.title, piece, position },
      isTitled: hasTitle({ name: document.title, text: document.text }),
    })),
  );
  const texts = pieces.map(({ title, piece }) => textOf(title, piece));
  const vectors = await embedder.embed(texts, 'document', never);
  return pieces.map(({ id, title, piece, position, isTitled }, n) => {
    const { scale, values } = quantize(vectors[n]!);
    return {
      ...piece,
      n,
      position,
      is_titled: isTitled,
      scale,
      vector: new Uint8Array(values.buffer),
      entity_id: id,
      entity_type: 'Document',
      name: title,
      url: null,
      breadcrumbs: [],
      source_created_at: null,
      source_updated_at: null,
      viewers: null,
      is_public: true,
      metadata: {},
      connection_id: '',
      collection_id: '',
      short_name: '',
      true_as_of: null,
      sync_id: '',
      sync_job_id: null,
    };
  });
}
