/**
 * A strict reader of Prometheus's text exposition format, version 0.0.4, as its documentation has it: one TYPE for a family, before its
 * samples, which stand together; no sample twice; escapes; histograms whose buckets add up.
 */
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

export const readExposition = (text: string): ReadonlyMap<string, MetricFamily> => {
  assert.ok(text.endsWith('\n'), 'the last line ends with a line feed');
  const families = new Map<string, MetricFamily>();
  let current: MetricFamily | undefined;
  let help: readonly [string, string] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? [];
    if (keyword === 'HELP') {
      assert.match(rest, /^(?:[^\\]|\\[\\n])*$/, `escapes of ${line}`);
      help = [name, rest];
    } else if (keyword === 'TYPE') {
      assert.ok(TYPES.includes(rest), line);
      assert.ok(!families.has(name), `one TYPE for ${name}`);
      assert.equal(help?.[0], name, `HELP before ${line}`);
      current = { name, type: rest, help: help?.[1] ?? '', samples: [] };
      families.set(name, current);
    } else {
      assert.ok(current, `a TYPE before ${line}`);
      const sample = sampleOf(line);
      assert.ok(belongs(sample, current), `${line} stands in the family ${current.name}`);
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      assert.ok(
        !current.samples.some((other) => JSON.stringify([other.name, Object.entries(other.labels).sort()]) === key),
        `${line} once`,
      );
      current.samples.push(sample);
    }
  }
  for (const one of families.values()) checkFamily(one);
  return families;
};

const sampleOf = (line: string): Sample => {
  const [, name = '', , written = '', number = ''] = new RegExp(`^(${NAME})(\\{(.*)\\})? ([^ ]+)$`).exec(line) ?? [];
  assert.notEqual(name, '', `a sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = written; rest !== ''; ) {
    const [all, label = '', value = ''] = LABEL.exec(rest) ?? [];
    assert.ok(all, `labels of ${line}`);
    assert.ok(!(label in labels), `label ${label} once in ${line}`);
    labels[label] = value.replace(/\\([\\"n])/g, (_, c: string) => (c === 'n' ? '\n' : c));
    rest = rest.slice(all.length);
  }
  const value = { '+Inf': Infinity, '-Inf': -Infinity, NaN: Number.NaN }[number] ?? Number(number);
  assert.ok(number === 'NaN' || !Number.isNaN(value), `a number: ${line}`);
  return { name, labels, value };
};

const belongs = ({ name }: Sample, family: MetricFamily): boolean =>
  family.type === 'histogram' ? ['_bucket', '_sum', '_count'].some((suffix) => name === family.name + suffix) : name === family.name;

const checkFamily = ({ name, type, samples }: MetricFamily): void => {
  if (type === 'counter') for (const { value } of samples) assert.ok(value >= 0 && Number.isFinite(value), `${name} counts`);
  if (type !== 'histogram') return;
  const series = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(Object.entries(others).sort()));
  for (const all of series.values()) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => (labels.le === '+Inf' ? Infinity : Number(labels.le)));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
      `${name}: bounds ascend`,
    );
    assert.equal(bounds.at(-1), Infinity, `${name} has a bucket of +Inf`);
    const values = buckets.map(({ value }) => value);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
      `${name}: buckets are cumulative`,
    );
    assert.equal(values.at(-1), all.find((sample) => sample.name === `${name}_count`)?.value, `${name}: the last bucket is the count`);
    assert.ok(
      all.some((sample) => sample.name === `${name}_sum`),
      `${name} has a sum`,
    );
  }
};

/** The value of a sample with these labels, among others. */
export const valueIn = (
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined =>
  [...families.values()]
    .flatMap(({ samples }) => samples)
    .find((sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value;
