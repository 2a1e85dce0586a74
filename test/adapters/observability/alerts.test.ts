/** The alert rules and the dashboard ask for metrics that the server exports, and the guide explains every alert. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { serve } from '../../../adapters/http/node-server.ts';
import { createMetrics } from '../../../adapters/observability/metrics.ts';
import { openApp } from '../../support/app.ts';
import { readExposition } from '../../support/exposition.ts';

const FOLDER = 'deploy/prometheus';
const rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: Readonly<Record<string, string>> }[] = parse(
  readFileSync(`${FOLDER}/alerts.yaml`, 'utf8'),
).groups.flatMap(({ rules }: { readonly rules: readonly unknown[] }) => rules);

/** Names of metrics in a query. */
const namesIn = (query: string): readonly string[] => [...query.matchAll(/\b(?:overlay_controller|process)_\w+/g)].map(([name]) => name);

/** Names of all metrics after calls of every kind that a query looks at. */
const exportedNames = async (): Promise<ReadonlySet<string>> => {
  const metrics = createMetrics({ process: true });
  await using app = await openApp('memory', { observe: metrics.observe });
  await app.login('nobody', 'wrong-password');
  const health = async () => ({
    ...(await app.controller.health()),
    reasons: [{ concerns: 'clock', severity: 'warning', message: '' } as const],
  });
  const serving = await serve({ controller: app.controller });
  const families = readExposition(await metrics.text({ health, statistics: () => app.controller.statistics() }, serving));
  await serving.close();
  return new Set([...families.values()].flatMap(({ name, samples }) => [name, ...samples.map((sample) => sample.name)]));
};

test('alerts and dashboard ask for metrics that exist', async () => {
  const exported = await exportedNames();
  const { panels } = JSON.parse(readFileSync(`${FOLDER}/dashboard.json`, 'utf8'));
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }: { readonly targets: readonly { readonly expr: string }[] }) => targets.map(({ expr }) => expr)),
  ];
  assert.ok(queries.length > 20);
  for (const query of queries) {
    assert.deepEqual(
      namesIn(query).filter((name) => !exported.has(name)),
      [],
      query,
    );
    assert.ok(namesIn(query).length > 0 || query.startsWith('up{'), query);
  }
});

test('the guide says of every alert what it means, how to see it and what to do', () => {
  const guide = readFileSync('docs/guides/alerts.md', 'utf8');
  const sections = guide.split(/^## /m).slice(1);
  assert.deepEqual(sections.map((section) => section.split('\n', 1)[0]).toSorted(), rules.map(({ alert }) => alert).toSorted());
  for (const section of sections) assert.match(section, /\*\*Meaning\*\*[\s\S]*\*\*See\*\*[\s\S]*\*\*Do\*\*/);
  for (const { alert, annotations } of rules) assert.equal(annotations.runbook, `docs/guides/alerts.md#${alert.toLowerCase()}`);
});

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
test('Prometheus takes the rules, which fire when they should', { skip: hasPromtool ? false : 'promtool is not installed' }, () => {
  for (const args of [
    ['check', 'rules', `${FOLDER}/alerts.yaml`],
    ['test', 'rules', `${FOLDER}/alerts.test.yaml`],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});

test('Prometheus finds nothing wrong with the metrics', { skip: hasPromtool ? false : 'promtool is not installed' }, async () => {
  const metrics = createMetrics({ process: true });
  await using app = await openApp('memory', { observe: metrics.observe });
  await app.login('nobody', 'wrong-password');
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    encoding: 'utf8',
    input: await metrics.text(app.controller),
  });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});
