/**
 * Sends requests through the proxy, and counts them by phase and outcome. Where no request may fail, each failure is kept.
 */

import { TEST_KEY } from '../e2e/process.ts';
import type { Answer, Answering } from '../e2e/rounds/cluster.ts';
import { hold } from '../random/violation.ts';

/** These statuses mean that the service could not serve the request now. */
const UNSERVED = new Set([502, 503, 504]);
/** The proxy gives up before. */
const LONGEST_MS = 180_000;

export interface PhaseFigures {
  requests: number;
  /** Maps each kind of failure to how often it happened. */
  readonly failed: Map<string, number>;
}

export class Gateway implements Answering {
  readonly address: string;
  readonly figures = new Map<string, PhaseFigures>();
  #phase: { readonly name: string; readonly mayFail: boolean } = { name: 'start', mayFail: false };
  #failures: string[] = [];

  constructor(address: string) {
    this.address = address;
  }

  /** Requests count for this phase from now on. */
  enter(name: string, { mayFail }: { readonly mayFail: boolean }): void {
    this.#phase = { name, mayFail };
    this.#failures = [];
  }

  checkNoneFailed(): void {
    hold(this.#failures.length === 0, 'no request fails', () => this.#failures.join('\n'));
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    const phase = this.#phase;
    const figures = this.figures.get(phase.name) ?? { requests: 0, failed: new Map() };
    this.figures.set(phase.name, figures);
    figures.requests++;
    const began = performance.now();
    const fail = (kind: string, details: unknown) => {
      figures.failed.set(kind, (figures.failed.get(kind) ?? 0) + 1);
      if (!phase.mayFail)
        this.#failures.push(
          `${new Date().toISOString()} ${phase.name}: ${method} ${path}: ${kind} after ${Math.round(performance.now() - began)} ms: ${JSON.stringify(details)}`,
        );
    };
    try {
      const response = await fetch(`${this.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      const text = await response.text();
      const { status } = response;
      if (UNSERVED.has(status)) {
        fail(`${method} ${status}`, text);
        return undefined;
      }
      return { status, body: JSON.parse(text) };
    } catch (error) {
      const { message, cause } = error as Error;
      fail(`${method} ${(cause as { code?: string })?.code ?? message}`, String(cause ?? error));
      return undefined;
    }
  }
}
