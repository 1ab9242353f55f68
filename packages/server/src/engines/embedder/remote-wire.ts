/** Makes the request for vectors in the form of each provider's API, and finds the vectors in the answer. */
import { z } from 'zod';
import type { RemoteModel } from '../../providers.ts';
import type { EmbeddedAs } from '../ports.ts';
import type { ModelRequest } from '../remote/post.ts';

export interface EmbeddingRequest {
  readonly texts: readonly string[];
  readonly as: EmbeddedAs;
  /** If undefined, the model decides the number of dimensions. */
  readonly dimensions: number | undefined;
}

/** The vectors are in the order of the texts. */
type Vectors = readonly (readonly number[])[];

const Vector = z.array(z.number());
/** OpenAI answers in this form, and so does every provider with the same protocol. */
const OpenAiAnswer = z
  .object({ data: z.array(z.object({ index: z.int().min(0), embedding: Vector })) })
  .transform(
    ({ data }): Vectors =>
      data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
  );
const CohereAnswer = z
  .object({ embeddings: z.object({ float: z.array(Vector) }) })
  .transform(({ embeddings }): Vectors => embeddings.float);
const OllamaAnswer = z
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
    // Servers have different parameters for the number of dimensions, so the request does not set it.
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
        schema: CohereAnswer,
      };
    case 'ollama':
      return {
        path: '/api/embed',
        body: { model, input: texts, truncate: true, dimensions },
        schema: OllamaAnswer,
      };
    default:
      throw new Error(`${provider} does not offer embeddings`);
  }
}

const listed = (body: object): ModelRequest<Vectors> => ({
  path: '/embeddings',
  body,
  schema: OpenAiAnswer,
});
