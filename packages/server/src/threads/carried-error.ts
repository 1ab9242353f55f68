/** An error is sent to another thread in the form of its fields, and is made again there. */
import { AppError, type Fault } from '../errors.ts';

/** `app` is set only for an AppError. */
export interface CarriedError {
  readonly message: string;
  readonly stack: string | undefined;
  /** These are the codes of an error of the database or of the operating system. */
  readonly codes: { readonly code?: string; readonly errcode?: number };
  readonly app?: {
    readonly status: number;
    readonly code: string;
    readonly faults: readonly Fault[];
    readonly retryAfter: number | undefined;
  };
}

export function toCarried(error: unknown): CarriedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof AppError) {
    const { status, code, faults, retryAfter } = error;
    return { message, stack, codes: {}, app: { status, code, faults, retryAfter } };
  }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return {
    message,
    stack,
    codes: {
      ...(typeof code === 'string' && { code }),
      ...(typeof errcode === 'number' && { errcode }),
    },
  };
}

/** Makes an error equal to the one that was thrown in the other thread. */
export function toError({ message, stack, codes, app }: CarriedError): Error {
  const error = app
    ? new AppError(app.status, message, {
        code: app.code,
        faults: app.faults,
        ...(app.retryAfter !== undefined && { retryAfter: app.retryAfter }),
      })
    : Object.assign(new Error(message), codes);
  if (stack) error.stack = stack;
  return error;
}
