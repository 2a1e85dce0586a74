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

/** @param name must end with `_total` */
export const counter = (name: string, help: string): Counter => {
  const values = new Map<string, number>();
  return {
    add: (labels, amount = 1) => {
      const key = formatLabels(labels);
      values.set(key, (values.get(key) ?? 0) + amount);
    },
    lines: () =>
      formatFamily(
        name,
        'counter',
        help,
        [...values].map(([labels, value]) => `${name}${inBraces(labels)} ${formatNumber(value)}`),
      ),
  };
};

/** A gauge with its current values. */
export const gauge = (name: string, help: string, samples: readonly (readonly [Labels, number])[]): Family => ({
  lines: () =>
    formatFamily(
      name,
      'gauge',
      help,
      samples.map(([labels, value]) => `${name}${inBraces(formatLabels(labels))} ${formatNumber(value)}`),
    ),
});

/** @param bounds upper bounds of the buckets, ascending, without infinity */
export const histogram = (name: string, help: string, bounds: readonly number[]): Histogram => {
  const series = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();
  return {
    record: (labels, value) => {
      const key = formatLabels(labels);
      let entry = series.get(key);
      if (!entry) {
        entry = { buckets: bounds.map(() => 0), sum: 0, count: 0 };
        series.set(key, entry);
      }
      const index = bounds.findIndex((bound) => value <= bound);
      if (index >= 0) entry.buckets[index] = (entry.buckets[index] ?? 0) + 1;
      entry.sum += value;
      entry.count++;
    },
    lines: () =>
      formatFamily(
        name,
        'histogram',
        help,
        [...series].flatMap(([labels, { buckets, sum, count }]) => {
          const formatBucket = (bound: number, value: number) =>
            `${name}_bucket${inBraces([labels, `le="${formatNumber(bound)}"`].filter(Boolean).join(','))} ${value}`;
          let cumulative = 0;
          const lines = bounds.map((bound, i) => {
            cumulative += buckets[i] ?? 0;
            return formatBucket(bound, cumulative);
          });
          return [
            ...lines,
            formatBucket(Number.POSITIVE_INFINITY, count),
            `${name}_sum${inBraces(labels)} ${formatNumber(sum)}`,
            `${name}_count${inBraces(labels)} ${count}`,
          ];
        }),
      ),
  };
};

export const formatExposition = (families: readonly Family[]): string => `${families.flatMap((each) => each.lines()).join('\n')}\n`;

const formatFamily = (name: string, type: string, help: string, samples: readonly string[]): readonly string[] =>
  samples.length === 0
    ? []
    : [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`, ...samples];

const inBraces = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

const formatLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
    .join(',');

const formatNumber = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
};
