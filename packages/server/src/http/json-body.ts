/**
 * Parses JSON bodies. An empty body counts as no body, whatever the content type says. Texts may not contain NUL or an
 * unpaired surrogate, because PostgreSQL cannot store them. The nesting is limited, because recursive code such as
 * JSON.stringify would otherwise overflow the stack.
 */
import { promisify } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { AppError, type Fault } from '../errors.ts';
import { isNestedDeeper } from '../model/entity-limits.ts';
import { isStorable } from '../model/storable.ts';
import type { App } from './server.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** Returns a function that parses JSON as in a body. It throws a 422. */
export function jsonParser(app: App): (req: FastifyRequest, bytes: Buffer) => Promise<unknown> {
  return promisify(parseJson(app));
}

export function parseJson(app: App) {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (req: Parameters<typeof parse>[0], bytes: Buffer, done: Done): void => {
    const text = textOf(bytes);
    if (text === null) done(unreadable(NOT_UTF_8));
    else if (text.trim() === '') done(null, undefined);
    else
      void parse(req, text, (error, body: unknown) => {
        const faults = error ? [faultOfText(text)] : faultsOf(body, text);
        if (faults.length === 0) done(null, body);
        else done(unreadable(...faults));
      });
  };
}

const unreadable = (...faults: Fault[]) =>
  new AppError(422, 'the body cannot be read', { code: 'invalid', faults });

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns null when the bytes are not UTF-8. Decoding them anyway would store replacement characters. */
function textOf(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

const NOT_UTF_8: Fault = {
  loc: ['body'],
  msg: 'the body is not UTF-8, as JSON must be',
  type: 'json_invalid',
};

const MAX_NESTING = 500;

function faultsOf(body: unknown, text: string): Fault[] {
  if (isNestedDeeper(body, MAX_NESTING)) return [TOO_DEEP];
  return MAYBE_NOT_STORABLE.test(text) ? faultsOfTexts(body) : [];
}

const TOO_DEEP: Fault = {
  loc: ['body'],
  msg: `the body is nested more than ${MAX_NESTING} deep`,
  type: 'too_deep',
};

/**
 * The parser refuses a text that is not JSON, and a text with a key such as `__proto__`, which could change a
 * prototype.
 */
const faultOfText = (text: string): Fault =>
  isJson(text)
    ? {
        loc: ['body'],
        msg: "no field may be named '__proto__', nor 'prototype' within 'constructor'",
        type: 'forbidden_field',
      }
    : { loc: ['body'], msg: 'the body is not valid JSON', type: 'json_invalid' };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The body is valid JSON in UTF-8, so it can contain a NUL or an unpaired surrogate only as one of these escapes. */
const MAYBE_NOT_STORABLE = /\\u(0000|[dD][89a-fA-F])/;

interface JsonLocation {
  readonly key: string | number;
  readonly parent: JsonLocation | undefined;
}

/** The number of faults is limited, because each fault names its path in the body, and paths may be long. */
const MAX_FAULTS = 100;

/** Returns a fault for each text and each object whose text or field name cannot be stored. */
function faultsOfTexts(body: unknown): Fault[] {
  const faults: Fault[] = [];
  const open: { value: unknown; place: JsonLocation }[] = [
    { value: body, place: { key: 'body', parent: undefined } },
  ];
  for (let next = open.pop(); next && faults.length < MAX_FAULTS; next = open.pop()) {
    const { value, place } = next;
    if (typeof value === 'string' && !isStorable(value)) faults.push(faultAt(place));
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    if (!isList && !Object.keys(value).every(isStorable)) faults.push(faultAt(place));
    const entries = isList ? value.entries() : Object.entries(value);
    for (const [key, inner] of entries) open.push({ value: inner, place: { key, parent: place } });
  }
  return faults.reverse();
}

function faultAt(place: JsonLocation): Fault {
  const upwards: (string | number)[] = [];
  for (let at: JsonLocation | undefined = place; at; at = at.parent) upwards.push(at.key);
  return {
    loc: upwards.reverse(),
    msg: 'text must be valid Unicode without the character NUL',
    type: 'invalid_text',
  };
}
