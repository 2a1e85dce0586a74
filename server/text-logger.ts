import { consoleLogger, type Logger } from '../src/adapter-kit.ts';

/** A logger that writes a line of text for people: time, level, message, and the details as `name=value`. What is secret is left out as in JSON. */
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

/** As it is where it is one word, else in JSON, so that nothing looks like another field or another line. */
const shown = (value: unknown): string => (typeof value === 'string' && /^[\w@%+:,./{}-]+$/.test(value) ? value : JSON.stringify(value));
