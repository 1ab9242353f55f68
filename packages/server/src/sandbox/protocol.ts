/**
 * Between a limited process and its parent, by the IPC channel: the child says READY once, then each
 * request is answered by one answer.
 */

export const READY = 'ready';

export interface Answered {
  /** Bytes that the child holds after its work. */
  readonly rss: number;
}
