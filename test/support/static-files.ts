import type { CoreAnswer } from '../../src/index.ts';

/** The whole body of an answer, sent at once or part by part. */
export const textOf = async (body: CoreAnswer['body']): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};
