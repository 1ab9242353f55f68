/** Parses the text of metrics: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/gy;

/** Fails for a line that the format does not have. */
export function parseExposition(text: string): Sample[] {
  assert.ok(text.endsWith('\n'));
  return text.split('\n').flatMap((line) => {
    if (line === '' || /^# (HELP|TYPE) \S+ /.test(line)) return [];
    const [, name, inner = '', value] = LINE.exec(line) ?? [];
    assert.ok(name !== undefined && value !== undefined, line);
    const labels = [...inner.matchAll(LABEL)];
    assert.equal(labels.map(([whole]) => whole).join(''), inner, line);
    const named = Object.fromEntries(labels.map(([, key, one]) => [key, one]));
    return [{ name, labels: named, value: Number(value.replace('Inf', 'Infinity')) }];
  });
}

/** Returns undefined when no sample has this name and exactly these labels. */
export const sampleOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined =>
  samples.find((one) => one.name === name && isDeepStrictEqual(one.labels, labels))?.value;
