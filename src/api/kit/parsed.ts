import type { Answer, Page } from '../surfaces/answer.ts';
import { SerializedJson } from '../surfaces/json-parts.ts';
import { versionOf, withVersion } from './entity-version.ts';

/** Parses the parts of an operation's output that are already JSON text, for in-process callers. @param answer the declared answer of the operation */
export const parsed = ({ is }: Pick<Answer, 'is'>, output: unknown): unknown => {
  if (is !== 'page') return read(output);
  const page = output as Page<unknown>; // the declared answer is a page
  return page.data.some((item) => item instanceof SerializedJson) ? { ...page, data: page.data.map(read) } : page;
};

const read = (output: unknown): unknown => {
  if (!(output instanceof SerializedJson)) return output;
  const version = versionOf(output);
  const value: object = JSON.parse(output.text); // it holds the JSON of an object
  return version === undefined ? value : withVersion(value, version);
};
