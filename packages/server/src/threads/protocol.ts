/** What the threads of one process say to each other. Nothing else is shared but the database. */
import type { Config } from '../config.ts';
import type { Examination, ExamineRequest } from '../doctor/examine.ts';
import type { SharedModel } from '../engines/embedder/model-file.ts';
import type { GrepRequest } from '../entities/contents/grep.ts';
import type { GrepAnswer } from '../entities/contents/schema.ts';
import type { Fault } from '../errors.ts';
import type { AgenticAnswer, AgenticStep } from '../search/agent/schema.ts';
import type { AgenticRequest } from '../search/agent/service.ts';
import type { SearchAnswer, SearchRequest } from '../search/service.ts';

/** Given to a thread when it is made. */
export interface ThreadData {
  readonly config: Config;
  /** From which the key of the vault is derived. */
  readonly secret: string;
  readonly model: SharedModel;
  /** Short names of the sources that are searched live. */
  readonly federated: readonly string[];
  readonly prettyLog: boolean;
}

/** An error on its way to another thread. `status` is absent for a bug. */
export interface CarriedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** Those of a database or of the system. */
  readonly codes: { readonly code?: string; readonly errcode?: number };
  readonly app?: {
    readonly status: number;
    readonly code: string;
    readonly faults: readonly Fault[];
    readonly retryAfter: number | undefined;
  };
}

export type SearchCall =
  | { readonly id: number; readonly request: SearchRequest }
  | { readonly id: number; readonly agentic: AgenticRequest }
  | { readonly id: number; readonly examine: ExamineRequest }
  | { readonly id: number; readonly grep: GrepRequest }
  /** Nobody waits for this one any more. */
  | { readonly cancel: number };

export type ThreadAnswer = SearchAnswer | AgenticAnswer | Examination | GrepAnswer;

export type SearchReply =
  /** What comes from now on is answered without waiting for the thread's start. */
  | 'ready'
  | { readonly id: number; readonly step: AgenticStep }
  | { readonly id: number; readonly answer: ThreadAnswer }
  | { readonly id: number; readonly error: CarriedError };
