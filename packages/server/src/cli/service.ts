/** Asks the running service, as anybody would, and waits for what it does in the background. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Run } from '../maintenance/schema.ts';

const POLL_MS = 500;
/** Where one listens on all addresses, one is reached at this one. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface Service {
  /** Gives the body of the answer. Throws with its sentence when it is none of success. */
  call<Body>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Body>;
}

export function runningService(config: Config): Service {
  const { QUARRY_HOST, QUARRY_PORT, QUARRY_API_KEY } = config;
  if (!QUARRY_API_KEY) throw new Error('set QUARRY_API_KEY to the key of an admin');
  const host = ALL[QUARRY_HOST] ?? QUARRY_HOST;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${QUARRY_PORT}`;
  return {
    async call(method, path, body) {
      const response = await ask(address, path, {
        method,
        headers: {
          authorization: `Bearer ${QUARRY_API_KEY}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.headers.get('content-type')?.startsWith('application/json'))
        throw new Error(`what answers at ${address} is no Quarry: give --host and --port`);
      const answer = JSON.parse(text);
      if (!response.ok) throw new Error(sentence(answer.detail));
      return answer;
    },
  };
}

async function ask(address: string, path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(`${address}${path}`, request);
  } catch (error) {
    throw new Error(`no Quarry answers at ${address}: start it, or give --host and --port`, {
      cause: error,
    });
  }
}

const sentence = (detail: string | readonly { readonly msg: string }[]): string =>
  typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ');

/** Says on standard error how far it is, and gives what it was in the end. */
export async function ended(service: Service, started: Run): Promise<Run> {
  let run = started;
  for (let said = ''; ; await sleep(POLL_MS)) {
    const line = `${run.collection_readable_id}: ${run.status.toLowerCase()}, ${run.entities_done} of ${run.entities_total} entities`;
    if (line !== said) process.stderr.write(`${line}\n`);
    said = line;
    if (run.status === 'COMPLETED' || run.status === 'FAILED') return run;
    run = await service.call(
      'GET',
      `/v1/collections/${run.collection_readable_id}/maintenance/${run.id}`,
    );
  }
}
