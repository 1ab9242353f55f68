/** Asks each provider for vectors as its vendor publishes it, and finds them in the answer. */
import { z } from 'zod';
import type { RemoteModel } from '../../providers.ts';
import type { EmbeddedAs } from '../ports.ts';
import type { ModelRequest } from '../remote/post.ts';

export interface EmbeddingRequest {
  readonly texts: readonly string[];
  readonly as: EmbeddedAs;
  /** The model decides the number of dimensions when this is undefined. */
  readonly dimensions: number | undefined;
}

/** The vectors are in the order of the texts. */
type Vectors = readonly (readonly number[])[];

const Vector = z.array(z.number());
/** OpenAI answers in this form, and so does every provider with the same protocol. */
const Listed = z
  .object({ data: z.array(z.object({ index: z.int().min(0), embedding: Vector })) })
  .transform(
    ({ data }): Vectors =>
      data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
  );
const OfCohere = z
  .object({ embeddings: z.object({ float: z.array(Vector) }) })
  .transform(({ embeddings }): Vectors => embeddings.float);
const OfOllama = z
  .object({ embeddings: z.array(Vector) })
  .transform(({ embeddings }): Vectors => embeddings);

export function requestOf(
  { provider, model }: RemoteModel,
  asked: EmbeddingRequest,
): ModelRequest<Vectors> {
  const { texts, as, dimensions } = asked;
  switch (provider) {
    case 'openai':
      return listed({ model, input: texts, encoding_format: 'float', dimensions });
    // Each server chooses dimensions in another way, so the request does not ask for any.
    case 'openai-compatible':
      return listed({ model, input: texts });
    case 'mistral':
      return listed({ model, input: texts, output_dimension: dimensions });
    case 'voyage':
      return listed({
        model,
        input: texts,
        input_type: as,
        truncation: true,
        output_dimension: dimensions,
      });
    case 'cohere':
      return {
        path: '/embed',
        body: {
          model,
          texts,
          input_type: as === 'query' ? 'search_query' : 'search_document',
          embedding_types: ['float'],
          truncate: 'END',
          output_dimension: dimensions,
        },
        schema: OfCohere,
      };
    case 'ollama':
      return {
        path: '/api/embed',
        body: { model, input: texts, truncate: true, dimensions },
        schema: OfOllama,
      };
    default:
      throw new Error(`${provider} does not offer embeddings`);
  }
}

const listed = (body: object): ModelRequest<Vectors> => ({
  path: '/embeddings',
  body,
  schema: Listed,
});
