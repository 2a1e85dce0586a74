/** Calls that may be repeated with a key of the caller's choice, and are carried out once. */

import { idempotencyKey } from '../../contract/api/idempotency-keys.ts';
import { parseOutput } from '../../contract/api/kit/parse-output.ts';
import { ApiError, explained, invalidField, RETRY_AFTER } from '../../contract/errors/index.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { dateField, equals, type Predicate, stringField } from '../../query/index.ts';
import { DAY, isoTime } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { sealText, unsealText } from '../../store/entities/sealed.ts';
import type { Row } from '../../store/storage/port.ts';
import { actorId } from '../actor.ts';
import { assertAcceptsIdempotencyKey } from '../batchable.ts';
import type { Core } from '../core.ts';
import type { Entry } from '../entry.ts';
import type { OngoingCall, StoredNestedCall } from './ongoing-call.ts';

/** Time for which an answer is kept. ms */
const KEPT_FOR = DAY;
/** Maximum number of stored answers of one caller. */
const MAX_KEPT = 1000;
/** Maximum length of a stored answer, as JSON. The inputs of its nested calls are bounded by the body limit. */
const MAX_CHARACTERS = 262_144;
/** Maximum number of expired answers that one call deletes: more than it adds, so that they do not pile up. */
const MAX_EXPIRED = 10;

/** A stored answer, without secrets that are shown only once. */
interface Kept {
  /** A hash of the input that it answers. */
  readonly input: string;
  readonly output: unknown;
  /** The operations that the call has carried out: a caller who gets the answer again still needs its rights. No part takes a password. */
  readonly parts: readonly StoredNestedCall[];
}

/** Another call has used the key since this one looked for it. */
class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/**
 * Carries out a call once for each key. Its answer is repeated to callers who still have the rights that it required.
 * @param given the input of the call
 * @throws ApiError `CONFLICT` while another call with the key is in progress; `COULD_NOT_VALIDATE` (422) if the key was used with another
 * input, and (400) if the operation takes no key; `UNAUTHORIZED` or `NOT_FOUND` if the caller may no longer do what a part of the call did;
 * `SERVER_TOO_MANY_REQUESTS` if the caller has used too many keys; `REQUEST_ENTITY_TOO_LARGE` if the answer is too long to be kept
 */
export type Once = (call: OngoingCall, entry: Entry, key: string, given: unknown, handle: () => Promise<unknown>) => Promise<unknown>;

export const createOnce = ({ platform, secrets }: Pick<Core, 'platform' | 'secrets'>): Once => {
  const inProgress = new Set<string>();

  const answered = async (call: OngoingCall, row: Row, input: string): Promise<unknown> => {
    const kept: Kept = JSON.parse(await unsealText(secrets, idempotencyKey, 'sealed', row)); // written below
    if (kept.input !== input)
      throw invalidField('Idempotency-Key', 'the key was used for another request: choose a new one', undefined, 422);
    for (const part of kept.parts) await call.permitNestedCall(part);
    call.answerHeaders.set('idempotency-replayed', 'true');
    return kept.output;
  };

  const keep = async (entities: Entities, id: string, caller: string, text: string): Promise<void> => {
    const expiresAt = isoTime(platform.clock.now() + KEPT_FOR);
    const sealed = await sealText(secrets, idempotencyKey, 'sealed', { id }, text);
    await entities.insert(idempotencyKey, { id, caller, expiresAt, sealed }).catch((error) => {
      throw error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE' ? new KeyTaken() : error;
    });
  };

  const perform = (call: OngoingCall, id: string, input: string, caller: string, work: () => Promise<unknown>): Promise<unknown> =>
    call.transactions.together(async (entities) => {
      const now = call.now();
      const former = await entities.get(idempotencyKey, id);
      if (isKept(former, now)) throw new KeyTaken();
      if (former) await entities.remove(idempotencyKey, former);
      for (const row of await entities.list(idempotencyKey, { where: expired(now), limit: MAX_EXPIRED }))
        await entities.remove(idempotencyKey, row);
      if ((await entities.count(idempotencyKey, equals(stringField('caller'), caller))) >= MAX_KEPT)
        throw new ApiError('SERVER_TOO_MANY_REQUESTS', {
          retryAfter: RETRY_AFTER.quota,
          cause: {
            code: 'SERVER_TOO_MANY_REQUESTS',
            message: `you have used ${MAX_KEPT} idempotency keys within a day: make the request without one`,
          },
        });
      const output = await work();
      await keep(entities, id, caller, textOf(call, input, output));
      return output;
    });

  return async (call, entry, key, given, handle) => {
    assertAcceptsIdempotencyKey(entry);
    const caller =
      call.attribution.actor === actorId(call.actor) ? actorId(call.actor) : `${actorId(call.actor)} ${call.attribution.actor}`;
    const id = hashToken(JSON.stringify([caller, entry.group, entry.verb, key]));
    const input = hashToken(JSON.stringify(given));
    if (inProgress.has(id)) throw inProgressAlready();
    inProgress.add(id);
    try {
      for (let attempt = 1; ; attempt++) {
        const row = await call.read((entities) => entities.get(idempotencyKey, id));
        if (isKept(row, call.now())) return await answered(call, row, input);
        try {
          return await perform(call, id, input, caller, async () => parseOutput(entry.operation.answer, await handle()));
        } catch (error) {
          if (!(error instanceof KeyTaken)) throw error;
          if (attempt > 1) throw inProgressAlready();
        }
      }
    } finally {
      inProgress.delete(id);
    }
  };
};

/**
 * The record of a call, as JSON.
 * @throws ApiError `REQUEST_ENTITY_TOO_LARGE`
 */
const textOf = (call: OngoingCall, input: string, output: unknown): string => {
  const runs = call.operation.isBatch ? call.nestedCalls : [call.toNestedCall(output)];
  const secrets = new Set(runs.map(({ secret }) => secret));
  const json = (value: unknown) => JSON.stringify(value, (_, each) => (secrets.has(each) ? undefined : each));
  const answer = json(output);
  if (answer.length > MAX_CHARACTERS)
    throw explained(
      'REQUEST_ENTITY_TOO_LARGE',
      `the answer is too long to be kept for a repetition, ${answer.length} characters of at most ${MAX_CHARACTERS}: make a smaller request, or one without a key`,
    );
  const parts = runs.map(({ operation, input, created }): StoredNestedCall => ({ operation, input, created }));
  return `{"input":"${input}","output":${answer},"parts":${json(parts)}}`;
};

const isKept = (row: Row | undefined, now: string): row is Row => row !== undefined && String(row.expiresAt) > now;

const expired = (now: string): Predicate => ({ op: 'compare', field: dateField('expiresAt'), is: '<=', value: now });

const inProgressAlready = (): ApiError =>
  new ApiError('CONFLICT', {
    retryAfter: RETRY_AFTER.busy,
    cause: { code: 'CONFLICT', message: 'a request with this idempotency key is in progress: repeat it later' },
  });
