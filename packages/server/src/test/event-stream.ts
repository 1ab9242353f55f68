/** This client of an event stream reads only what the standard defines: `data:` lines and comments. */
import assert from 'node:assert/strict';

export interface EventStream {
  readonly headers: Headers;
  /** Returns the next event, or undefined at the end. */
  next(): Promise<any>;
  /** Returns all remaining events. */
  rest(): Promise<any[]>;
  /** Returns everything that has been received so far, unparsed. */
  text(): string;
  leave(): void;
}

/** Sends a POST when a body is given, and a GET otherwise. */
export async function openStream(url: string, key: string, body?: object): Promise<EventStream> {
  const left = new AbortController();
  const response = await fetch(url, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    signal: left.signal,
  });
  assert.equal(response.status, 200);
  assert.ok(response.body);
  let text = '';
  const events = read(response.body);
  const next = async () => (await events.next()).value;
  return {
    headers: response.headers,
    next,
    async rest() {
      const all: unknown[] = [];
      for await (const event of events) all.push(event);
      return all;
    },
    text: () => text,
    leave: () => left.abort(),
  };

  async function* read(body: ReadableStream<Uint8Array>) {
    let open = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      const blocks = (open + part).split('\n\n');
      open = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) continue;
        assert.ok(block.startsWith('data: ') && !block.includes('\n'), block);
        yield JSON.parse(block.slice('data: '.length));
      }
    }
    assert.equal(open, '');
  }
}
