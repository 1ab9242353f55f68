/** The alert rules, the dashboard and the table of docs/operations.md name the metrics that exist, and all of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { METRICS } from '../../telemetry/metric-table.ts';

const ROOT = new URL('../../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const skip = !hasPromtool && 'promtool is missing (apt-get install prometheus)';

/** These are metrics of every process of Node.js, and of Prometheus itself. */
const FOREIGN = ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'up'];

const SERIES = Object.entries(METRICS).flatMap(([name, { type }]) =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
);

const OPERATORS = ['by', 'and', 'unless', 'bool'];

/** Returns the names of metrics in an expression; the names of functions are followed by a parenthesis. */
const metricsIn = (expression: string): string[] =>
  expression
    .replaceAll(/\b(by|without|on|ignoring) \([^)]*\)/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .match(/\b[a-z]\w*\b(?!\s*\()/g)
    ?.filter((word) => !OPERATORS.includes(word)) ?? [];

const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  read('deploy/grafana/quarry.json'),
);
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const rules = read('deploy/prometheus/rules.yml');
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
const alerting = [...rules.matchAll(/expr: (?:>-\n)?(.+(?:\n {10}.+)*)/g)].map(
  ([, text]) => `${text}`,
);

describe('what monitors of Quarry are given', () => {
  it('a dashboard whose expressions name metrics that exist', () => {
    assert.ok(shown.length > 30);
    const strange = shown
      .flatMap(metricsIn)
      .filter((name) => ![...SERIES, ...FOREIGN].includes(name));
    assert.deepEqual(strange, []);
  });

  it('a dashboard that shows every metric', () => {
    const text = shown.join('\n');
    const missing = Object.keys(METRICS).filter((name) => !text.includes(name));
    assert.deepEqual(missing, []);
  });

  it('alert rules whose expressions name metrics that exist', () => {
    assert.equal(alerting.length, alerts.length);
    const strange = alerting
      .flatMap(metricsIn)
      .filter((name) => ![...SERIES, ...FOREIGN].includes(name));
    assert.deepEqual(strange, []);
  });

  it('alert rules that each fire for what they are about', { skip }, () => {
    const options = { cwd: new URL('deploy/prometheus/', ROOT), encoding: 'utf8' } as const;
    const checked = spawnSync('promtool', ['check', 'rules', 'rules.yml'], options);
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
    const ran = spawnSync('promtool', ['test', 'rules', 'rules.test.yml'], options);
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const fired = [
      ...read('deploy/prometheus/rules.test.yml').matchAll(/alertname: (\w+)\n.*\n *exp_alerts/g),
    ];
    assert.deepEqual(fired.map(([, name]) => name).toSorted(), alerts.toSorted());
  });

  it('a page with every metric and every alert', () => {
    const page = read('docs/operations.md');
    const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => {
      const named = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${named} | ${help} |`;
    });
    const start = page.indexOf(rows[0] ?? '');
    assert.equal(page.slice(start, start + rows.join('\n').length), rows.join('\n'));
    const unnamed = alerts.filter((name) => !page.includes(`\`${name}\``));
    assert.deepEqual(unnamed, []);
  });
});
