/**
 * These are the messages between the threads of one process. Besides messages, the threads share only the database and
 * the memory of the embedding model.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config.ts';
import type { Examination, ExamineRequest } from '../doctor/examine.ts';
import type { SharedModel } from '../engines/embedder/model-file.ts';
import type { GrepRequest } from '../entities/contents/grep.ts';
import type { GrepAnswer } from '../entities/contents/schema.ts';
import type { AgenticAnswer, AgenticStep } from '../search/agent/schema.ts';
import type { AgenticRequest } from '../search/agent/service.ts';
import type { SearchAnswer, SearchRequest } from '../search/service.ts';
import type { CarriedError } from './carried-error.ts';

/** A thread receives this data when it is created. */
export interface ThreadData {
  readonly config: Config;
  /** The key with which the vault seals is derived from this secret. */
  readonly secret: string;
  readonly model: SharedModel;
  /** These are the short names of the sources that are searched live. */
  readonly federated: readonly string[];
  /** If true, the thread reads collections into memory when it starts, before a search asks for them. */
  readonly isWarmed?: boolean;
  /** If true, the thread stores copies of collections, and removes those that are not needed. One thread does. */
  readonly keepsSegments?: boolean;
  /** The log goes to standard error, as text for a person or as lines of JSON, or to the thread that starts this one. */
  readonly logTo: 'terminal' | 'lines' | 'parent';
  /** The thread sends its metrics here when it is asked for them. */
  readonly metricsPort: MessagePort;
}

export type SearchCall =
  | { readonly id: number; readonly request: SearchRequest }
  | { readonly id: number; readonly agentic: AgenticRequest }
  | { readonly id: number; readonly examine: ExamineRequest }
  | { readonly id: number; readonly grep: GrepRequest }
  /** The caller no longer waits for the answer to the call with this id. */
  | { readonly cancel: number };

export type ThreadAnswer = SearchAnswer | AgenticAnswer | Examination | GrepAnswer;

export type SearchReply =
  /** The thread sends this when it has finished its start. */
  | 'ready'
  | { readonly id: number; readonly step: AgenticStep }
  | { readonly id: number; readonly answer: ThreadAnswer }
  | { readonly id: number; readonly error: CarriedError };
