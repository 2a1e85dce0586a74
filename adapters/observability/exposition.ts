/** Writes metrics in the text exposition format of Prometheus, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>;

/** The samples of one metric, as text. */
export interface Family {
  lines(): readonly string[];
}

export interface Counter extends Family {
  add(labels: Labels, amount?: number): void;
}

export interface Histogram extends Family {
  record(labels: Labels, value: number): void;
}

/** @param name must end in `_total` */
export const counter = (name: string, help: string): Counter => {
  const values = new Map<string, number>();
  return {
    add: (labels, amount = 1) => {
      const key = labelsOf(labels);
      values.set(key, (values.get(key) ?? 0) + amount);
    },
    lines: () =>
      family(
        name,
        'counter',
        help,
        [...values].map(([labels, value]) => `${name}${braced(labels)} ${numberOf(value)}`),
      ),
  };
};

/** A gauge with its current values. */
export const gauge = (name: string, help: string, samples: readonly (readonly [Labels, number])[]): Family => ({
  lines: () =>
    family(
      name,
      'gauge',
      help,
      samples.map(([labels, value]) => `${name}${braced(labelsOf(labels))} ${numberOf(value)}`),
    ),
});

/** @param bounds upper bounds of the buckets, ascending, without infinity */
export const histogram = (name: string, help: string, bounds: readonly number[]): Histogram => {
  const series = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();
  return {
    record: (labels, value) => {
      const key = labelsOf(labels);
      let entry = series.get(key);
      if (!entry) series.set(key, (entry = { buckets: bounds.map(() => 0), sum: 0, count: 0 }));
      const index = bounds.findIndex((bound) => value <= bound);
      if (index >= 0) entry.buckets[index] = (entry.buckets[index] ?? 0) + 1;
      entry.sum += value;
      entry.count++;
    },
    lines: () =>
      family(
        name,
        'histogram',
        help,
        [...series].flatMap(([labels, { buckets, sum, count }]) => {
          let total = 0;
          const bucket = (bound: number, value: number) =>
            `${name}_bucket${braced([labels, `le="${numberOf(bound)}"`].filter(Boolean).join(','))} ${value}`;
          return [
            ...bounds.map((bound, i) => bucket(bound, (total += buckets[i] ?? 0))),
            bucket(Number.POSITIVE_INFINITY, count),
            `${name}_sum${braced(labels)} ${numberOf(sum)}`,
            `${name}_count${braced(labels)} ${count}`,
          ];
        }),
      ),
  };
};

export const exposition = (families: readonly Family[]): string => `${families.flatMap((each) => each.lines()).join('\n')}\n`;

const family = (name: string, type: string, help: string, samples: readonly string[]): readonly string[] =>
  samples.length === 0
    ? []
    : [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`, ...samples];

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

const labelsOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
    .join(',');

const numberOf = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
};
