import { consoleLogger, type Logger } from '../src/adapter-kit.ts';

/** A logger that writes a line of text for people: time, level, message, and the details as `name=value`. Secrets are left out as in JSON. */
export const textLogger = (): Logger =>
  consoleLogger(Date.now, {
    error: (line) => console.error(asText(line)),
    warn: (line) => console.warn(asText(line)),
    info: (line) => console.info(asText(line)),
  });

const asText = (line: string): string => {
  const { time, level, message, ...details }: Readonly<Record<string, unknown>> = JSON.parse(line);
  const pairs = Object.entries(details).map(([name, value]) => `${name}=${shown(value)}`);
  return [time, String(level).toUpperCase().padEnd(5), message, ...pairs].join(' ');
};

/** A single word as it is, anything else as JSON, so that no value can imitate another field or line. */
const shown = (value: unknown): string => (typeof value === 'string' && /^[\w@%+:,./{}-]+$/.test(value) ? value : JSON.stringify(value));
