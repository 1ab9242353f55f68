/** Yields the body of an answer piece by piece. Throws the error, if there is one, after the last piece. */
export async function* pieces(texts: readonly string[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  if (error) throw error;
}
