import assert from 'node:assert/strict';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { validationMessages } from '../../../src/fabric/control-channel/messages/validations.ts';
import { until } from '../../support/until.ts';
import { operator } from './operator.ts';
import type { RouterNetwork } from './support.ts';
import { routed } from './traffic.ts';

const { inspectRequest, inspectResponse } = messages.routers;
const { validateTerminators, validateTerminatorsResponse } = messages.terminators;
const { validateModel, modelDifferences } = messages.dataModel;

type Validations = typeof validationMessages;
type ResultOf<K extends keyof Validations> = ReturnType<Validations[K]['result']['decode']>;

/** An operator who requests validations. Default: an administrator. */
export const validator = async (at: Pick<RouterNetwork, 'network'>, session?: string) => {
  const { frames, send, close } = await operator(at, session);
  return {
    /** The answer, and the results that it promises, in their order. */
    validate: async <K extends keyof Validations>(
      name: K,
      request: Parameters<Validations[K]['request']['encode']>[0] = {},
    ): Promise<{ readonly success: boolean; readonly message: string; readonly results: readonly ResultOf<K>[] }> => {
      const { request: asked, answer, result } = validationMessages[name];
      const begin = frames.length;
      send(asked as { readonly contentType: number; encode(body: object): Uint8Array }, request); // that of this validation
      await until(() => frames.length > begin);
      assert.equal(frames[begin]?.type, answer.contentType);
      const { success, message, count } = answer.decode(frames[begin]?.body ?? new Uint8Array());
      await until(() => frames.length > begin + Number(count));
      const results = frames.slice(begin + 1).map(({ type, body }) => {
        assert.equal(type, result.contentType);
        return result.decode(body) as ResultOf<K>; // that of this validation
      });
      return { success, message, results };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** A router that answers inspections with these values, and validations of its terminators and its model. */
export const answering = (
  values: Readonly<Record<string, unknown>>,
  terminators: NonNullable<Parameters<typeof validateTerminatorsResponse.encode>[0]['states']> = new Map(),
  diffs: NonNullable<Parameters<typeof modelDifferences.encode>[0]['diffs']> = [],
): typeof routed => ({
  ...routed,
  [inspectRequest.name]: (frame, router) => {
    const names = inspectRequest.decode(frame.body).requestedValues;
    const found = names.flatMap((name) => (name in values ? [{ name, value: JSON.stringify(values[name]) }] : []));
    router.answer(frame, inspectResponse, { success: true, values: found });
  },
  [validateTerminators.name]: (frame, router) => router.answer(frame, validateTerminatorsResponse, { states: terminators }),
  [validateModel.name]: (frame, router) => router.answer(frame, modelDifferences, { diffs }),
});
