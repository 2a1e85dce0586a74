import type { Answer, Page } from '../surfaces/answer.ts';
import { SerializedJson } from '../surfaces/json-parts.ts';
import { withVersion } from './entity-version.ts';

/**
 * Parses the serialized parts of an operation's output, for in-process callers.
 * @param answer the declared answer of the operation
 */
export const parseOutput = ({ is }: Pick<Answer, 'is'>, output: unknown): unknown => {
  if (is !== 'page') return parsePart(output);
  const page = output as Page<unknown>; // the declared answer is a page
  return page.data.some((item) => item instanceof SerializedJson) ? { ...page, data: page.data.map(parsePart) } : page;
};

const parsePart = (output: unknown): unknown => {
  if (!(output instanceof SerializedJson)) return output;
  const { text, version } = output;
  const value: object = JSON.parse(text); // the JSON of an object
  return version === undefined ? value : withVersion(value, version);
};
