/**
 * Parses JSON bodies. An empty body counts as no body, whatever the content type says. Texts may not contain NUL or an
 * unpaired surrogate, because PostgreSQL cannot store them. The nesting is limited, because recursive code such as
 * JSON.stringify would otherwise overflow the stack.
 */
import type { FastifyRequest } from 'fastify';
import { AppError, type Fault } from '../errors.ts';
import { isNestedDeeper } from '../model/entity-limits.ts';
import { isStorable } from '../model/storable.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function parseJson(_req: FastifyRequest, bytes: Buffer, done: Done): void {
  let body: unknown;
  try {
    body = jsonOf(bytes);
  } catch (error) {
    done(error as Error);
    return;
  }
  done(null, body);
}

/** Returns the value of JSON in UTF-8, and undefined for a text without any. Throws a 422. */
export function jsonOf(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (text === null) throw unreadable(NOT_UTF_8);
  if (text.trim() === '') return undefined;
  const body = parsed(text);
  const faults = faultsOf(body, text);
  if (faults.length > 0) throw unreadable(...faults);
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(NOT_JSON);
  }
}

const unreadable = (...faults: Fault[]) =>
  new AppError(422, 'the body cannot be read', { code: 'invalid', faults });

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns null when the bytes are not UTF-8. Decoding them anyway would store replacement characters. */
function textOf(bytes: Uint8Array): string | null {
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

const NOT_JSON: Fault = { loc: ['body'], msg: 'the body is not valid JSON', type: 'json_invalid' };

const MAX_NESTING = 500;

function faultsOf(body: unknown, text: string): Fault[] {
  if (MAYBE_FORBIDDEN.test(text) && hasForbiddenField(body)) return [FORBIDDEN];
  if (isNestedDeeper(body, MAX_NESTING)) return [TOO_DEEP];
  return MAYBE_NOT_STORABLE.test(text) ? faultsOfTexts(body) : [];
}

const TOO_DEEP: Fault = {
  loc: ['body'],
  msg: `the body is nested more than ${MAX_NESTING} deep`,
  type: 'too_deep',
};

/** Code that copies such a field into an object could change the prototype of the object. */
const FORBIDDEN: Fault = {
  loc: ['body'],
  msg: "no field may be named '__proto__', nor 'prototype' within 'constructor'",
  type: 'forbidden_field',
};

/** A text without these letters and without escapes has no such field. */
const MAYBE_FORBIDDEN = /proto|\\u/;

/** It works without recursion, because a body may be nested deeper than the stack allows. */
function hasForbiddenField(body: unknown): boolean {
  const open = [body].filter(isObject);
  for (let value = open.pop(); value; value = open.pop()) {
    if (Object.hasOwn(value, '__proto__')) return true;
    if (
      Object.hasOwn(value, 'constructor') &&
      Object.hasOwn(Object(value.constructor), 'prototype')
    )
      return true;
    for (const inner of Object.values(value)) if (isObject(inner)) open.push(inner);
  }
  return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

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
    if (!isObject(value)) continue;
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
