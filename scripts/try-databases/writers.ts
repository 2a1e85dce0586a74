/**
 * Writers that create, change and delete identities, and a model of what they were told: after an answer, an identity must be what the
 * answer says; without one, it may be what it was before, or after.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Controller } from './controllers.ts';

/** An identity's `step`, or undefined if it does not exist. */
type State = number | undefined;

/** How long a writer waits after a refusal. ms */
const PAUSE_MS = 50;
/** Answers that are expected: too late, unavailable, and 401 from one whose new session a controller with a wrong clock has ended again. */
const REFUSALS = [401, 408, 503];
/** The number of changes to each identity between its creation and its end. */
const STEPS = 3;
/** Of how many identities one is kept. */
const KEPT = 2;

export interface Acknowledged {
  readonly controller: Controller;
  /** ms since 1970 */
  readonly at: number;
}

export interface Writers {
  readonly acknowledged: readonly Acknowledged[];
  /** How many answers were missing, or were refusals. */
  readonly refused: number;
  /** The longest time that an acknowledged write took since a time. ms */
  slowestSince(time: number): number;
  /** The longest time without an acknowledged write, since the writers began. ms */
  longestSilence(): number;
  /** The times of the first acknowledged write since a time, by controller; those that have none wait for it. */
  firstSince(time: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Waits until each writer is between two writes, and checks what all of `readers` see.
   * @returns the number of identities that were compared
   */
  check(readers: readonly Controller[]): Promise<number>;
  /** The acknowledged operations that are missing, as `reader` sees it. From now on, the model expects what is there. */
  lost(reader: Controller): Promise<number>;
  /** Another controller takes the place of one. */
  replace(former: Controller, by: Controller): void;
  end(): Promise<void>;
}

/** @param perController how many write at once */
export const startWriters = (controllers: readonly Controller[], perController = 2): Writers => {
  const model = new Map<string, ReadonlySet<State>>();
  const acknowledged: (Acknowledged & { readonly took: number })[] = [];
  const places = controllers.map((controller) => ({ controller }));
  let [refused, count, isEnded] = [0, 0, false];
  const beganAt = Date.now();
  let endedAt: number | undefined;
  let paused: { readonly until: Promise<void>; readonly end: () => void } | undefined;
  let writing = 0;

  /** Changes an identity. @returns the body; undefined if there was no answer, or a refusal after which the state is unknown */
  const write = async (controller: Controller, name: string, next: State, method: string, path: string, body?: object) => {
    const before = model.get(name) ?? new Set([undefined]);
    model.set(name, new Set([...before, next]));
    const began = Date.now();
    const answer = await controller.ask(method, path, body).catch(() => undefined);
    if (answer && answer.status < 300) {
      model.set(name, new Set([next]));
      acknowledged.push({ controller, at: Date.now(), took: Date.now() - began });
      return answer.body;
    }
    if (answer && !REFUSALS.includes(answer.status))
      throw new Error(`${method} ${path} of ${controller.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    refused++;
    await pause(PAUSE_MS);
    return undefined;
  };
  const life = async (controller: Controller, name: string): Promise<void> => {
    const body = { name, type: 'User', isAdmin: false, roleAttributes: ['written'], tags: { step: '0' } };
    const created = await write(controller, name, 0, 'POST', '/identities', body);
    if (!created) return;
    const path = `/identities/${created.data.id}`;
    for (let step = 1; step <= STEPS; step++) {
      if (!(await write(controller, name, step, 'PATCH', path, { tags: { step: String(step) } }))) return;
      const read = await controller.ask('GET', path).catch(() => undefined);
      if (read?.status === 200) assert.equal(read.body.data.tags.step, String(step), `${controller.name} reads what it has written`);
    }
    if (Number(name.slice('w-'.length)) % KEPT === 0) await write(controller, name, undefined, 'DELETE', path);
  };
  const failures: unknown[] = [];
  const all = places.flatMap((place) =>
    Array.from({ length: perController }, async () => {
      while (!isEnded) {
        await paused?.until;
        writing++;
        await life(place.controller, `w-${count++}`).catch((error: unknown) => failures.push(error));
        writing--;
        if (failures.length > 0) return;
      }
    }),
  );
  const assertWell = () => {
    if (failures.length > 0) throw failures[0];
  };
  const quietly = async <T>(work: () => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    paused = { until: promise, end: resolve };
    while (writing > 0) await pause(10);
    assertWell();
    try {
      return await work();
    } finally {
      paused.end();
    }
  };
  const statesSeenBy = async (reader: Controller): Promise<ReadonlyMap<string, State>> =>
    new Map((await reader.identities()).map(({ name, tags }) => [name, tags.step === undefined ? undefined : Number(tags.step)]));
  return {
    acknowledged,
    get refused() {
      return refused;
    },
    longestSilence: () => {
      const times = [...acknowledged.map(({ at }) => at), endedAt ?? Date.now()];
      return times.reduce((longest, time, i) => Math.max(longest, time - (times[i - 1] ?? beganAt)), 0);
    },
    slowestSince: (time) => Math.max(0, ...acknowledged.filter(({ at }) => at >= time).map(({ took }) => took)),
    async firstSince(time) {
      const first = new Map<string, number>();
      for (let i = 0; first.size < places.length; ) {
        assertWell();
        for (; i < acknowledged.length; i++) {
          const each = acknowledged[i];
          if (each && each.at >= time && !first.has(each.controller.name)) first.set(each.controller.name, each.at - time);
        }
        await pause(10);
      }
      return first;
    },
    check: (readers) =>
      quietly(async () => {
        for (const reader of readers) {
          const seen = await statesSeenBy(reader);
          for (const [name, expected] of model)
            assert.ok(expected.has(seen.get(name)), `${reader.name} sees ${name} at ${seen.get(name)}, expected ${[...expected]}`);
          for (const { id, name, tags } of (await reader.identities()).slice(-200)) {
            const { body } = await reader.ask('GET', `/identities/${id}`);
            assert.deepEqual([body.data.name, body.data.tags.step], [name, tags.step], `${reader.name} sees one state`);
          }
        }
        return model.size;
      }),
    lost: (reader) =>
      quietly(async () => {
        const seen = await statesSeenBy(reader);
        let lost = 0;
        for (const [name, expected] of model) {
          if (!expected.has(seen.get(name))) lost++;
          model.set(name, new Set([seen.get(name)]));
        }
        return lost;
      }),
    replace: (former, by) => {
      for (const place of places) if (place.controller === former) place.controller = by;
    },
    async end() {
      endedAt ??= Date.now();
      isEnded = true;
      await Promise.all(all);
      assertWell();
    },
  };
};
