import type { Answer, Page } from '../surfaces/answer.ts';
import { Written } from '../surfaces/json-parts.ts';
import { versionOf, withVersion } from './entity-version.ts';

/** The output of an operation as a value, for callers in process. @param answer what the operation declares */
export const parsed = ({ is }: Pick<Answer, 'is'>, output: unknown): unknown => {
  if (is !== 'page') return read(output);
  const page = output as Page<unknown>; // as declared
  return page.data.some((item) => item instanceof Written) ? { ...page, data: page.data.map(read) } : page;
};

const read = (output: unknown): unknown => {
  if (!(output instanceof Written)) return output;
  const version = versionOf(output);
  const value: object = JSON.parse(output.text); // of an object
  return version === undefined ? value : withVersion(value, version);
};
