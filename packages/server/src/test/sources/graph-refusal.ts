/** Makes the refusals of Microsoft Graph, in the form of https://learn.microsoft.com/graph/errors. */
import { json, type PeerAnswer } from './cloud-peer.ts';

/** Objects of Graph have the form of its document, which checks each answer. */
export type GraphRow = Record<string, any>;

interface GraphErrorMore {
  /** It is the code of the inner error. */
  readonly inner?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A handler throws it, and the peer sends its answer. */
export class GraphRefusal extends Error {
  readonly answer: PeerAnswer;

  constructor(answer: PeerAnswer) {
    super(`the fake of Graph answers with status ${answer.status}`);
    this.answer = answer;
  }
}

/** Takes the status and the code of the error, such as `404 itemNotFound`. */
export function graphError(
  statusAndCode: string,
  message: string,
  { inner, headers = {} }: GraphErrorMore = {},
): PeerAnswer {
  const [status, code = ''] = statusAndCode.split(' ');
  const innerError = {
    ...(inner && { code: inner }),
    date: '2026-11-26T08:00:00',
    'request-id': '5b9f6b0c-0000-4000-8000-000000000000',
    'client-request-id': '5b9f6b0c-0000-4000-8000-000000000000',
  };
  return json(Number(status), { error: { code, message, innerError } }, headers);
}

export function refuse(statusAndCode: string, message: string, more?: GraphErrorMore): never {
  throw new GraphRefusal(graphError(statusAndCode, message, more));
}

export const noItem = (): never => refuse('404 itemNotFound', 'The resource could not be found.');

export const noObject = (id: string): never =>
  refuse(
    '404 Request_ResourceNotFound',
    `Resource '${id}' does not exist or one of its queried reference-property objects are not present.`,
  );

const DENIED = {
  files: ['403 accessDenied', 'Access denied'],
  directory: [
    '403 Authorization_RequestDenied',
    'Insufficient privileges to complete the operation.',
  ],
  mail: ['403 ErrorAccessDenied', 'Access is denied. Check credentials and try again.'],
} as const;

export type GraphPart = keyof typeof DENIED;

/** Graph refuses what an app or a person may not do in other words in each of its parts. */
export const denied = (part: GraphPart): PeerAnswer => graphError(DENIED[part][0], DENIED[part][1]);

export function deny(part: GraphPart): never {
  throw new GraphRefusal(denied(part));
}
